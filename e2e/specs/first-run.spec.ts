import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { ask } from "#fixtures/ask.ts";
import { expect, test } from "#fixtures/liverl.ts";

test.describe.configure({ mode: "serial" });

const RUN = "rise";
/** A run trains for a minute or two where the machine is ours, and ten times as long where it is shared. */
const LONG = { timeout: 1_200_000 };
const runUrl = /\/p\/[^/]+\/runs\/rise-01/;

test("a run is launched from the form and its boot phases pass by", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/launch`);
  const form = page.getByRole("form", { name: "Launch form" });
  await form.getByLabel("Name", { exact: true }).fill(RUN);
  await form.getByLabel("Steps", { exact: true }).fill("60");
  await form.getByLabel("Evaluate every").fill("5");
  await form.getByLabel("Checkpoint every").fill("5");
  await form.getByLabel("Evaluation tasks").fill("64");
  await form.getByLabel("Stop at reward").fill("0.8");
  await expect(page.getByRole("status").filter({ hasText: "Ready" })).toBeVisible();
  await page.getByRole("button", { name: /^Launch/ }).click();
  await expect(page).toHaveURL(runUrl);
  // The warm-up is one of them: they stand for seconds even where the machine is quick.
  await expect(page.getByRole("region", { name: "Boot", exact: true })).toBeVisible();
});

test("points appear without a reload, and the reward rises", async ({ signedIn: page, liverl }) => {
  await page.goto(`${liverl.url}/p/quickstart/runs/rise-01`);
  const reward = page.getByRole("article", { name: /^critic\/rewards\/mean/ });
  const lastStep = async () =>
    Number(/at step (\d+)/.exec((await reward.textContent()) ?? "")?.[1] ?? -1);
  await expect.poll(lastStep, LONG).toBeGreaterThan(0);
  const first = await lastStep();
  await expect.poll(lastStep, LONG).toBeGreaterThan(first);
  await expect(page.getByText("Succeeded")).toBeVisible(LONG);
  const { series } = await ask<{ series: { value: number[] }[] }>(liverl, "metric.series", {
    ...{ runId: "rise-01", keys: ["critic/rewards/mean"] },
  });
  const values = series[0]?.value ?? [];
  const mean = (part: number[]) => part.reduce((sum, value) => sum + value, 0) / part.length;
  expect(mean(values.slice(-3)) - mean(values.slice(0, 3))).toBeGreaterThan(0.3);
});

test("a point on a chart leads to the step, a trajectory and its tokens", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/runs/rise-01`);
  const plot = page.getByRole("slider", { name: /^critic\/rewards\/mean/ });
  await plot.click({ position: { x: 60, y: 40 } });
  await expect(page).toHaveURL(/\/steps\/\d+/);
  await expect(page.getByRole("region", { name: "Headline numbers" })).toBeVisible();
  await page.locator('a[href*="/traj/"]').first().click();
  await expect(page).toHaveURL(/\/traj\//);
  await page
    .getByRole("button", { name: /^logprob/i })
    .first()
    .click();
  await expect(page).toHaveURL(/lens=logprob/);
  await page.locator("span[data-index]").first().click();
  await expect(page.getByText("Rollout log-prob", { exact: true })).toBeVisible();
});

test("a run stops after its step and resumes from the checkpoint", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/launch`);
  const form = page.getByRole("form", { name: "Launch form" });
  await form.getByLabel("Name", { exact: true }).fill("halt");
  await form.getByLabel("Steps", { exact: true }).fill("16");
  await form.getByLabel("Evaluate every").fill("16");
  await form.getByLabel("Evaluation tasks").fill("8");
  await expect(page.getByRole("status").filter({ hasText: "Ready" })).toBeVisible();

  // One invalid value: the plan and the passed checks of the last valid values stay.
  await form.getByLabel("Steps", { exact: true }).fill("-3");
  await expect(page.getByText("1 invalid value")).toBeVisible();
  await expect(page.getByRole("region", { name: "Plan", exact: true })).toBeVisible();
  await expect(page.getByText("Programs are built")).toBeVisible();
  await form.getByLabel("Steps", { exact: true }).fill("16");
  await expect(page.getByRole("status").filter({ hasText: "Ready" })).toBeVisible();

  // While the launch is under way, the form keeps what was typed.
  let answerLaunch = () => {};
  const held = new Promise<void>((resolve) => {
    answerLaunch = resolve;
  });
  await page.route("**/trpc/run.launch**", async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("button", { name: /^Launch/ }).click();
  await expect(page.getByRole("status").filter({ hasText: "Launching" })).toBeVisible();
  await expect(form.getByLabel("Name", { exact: true })).toHaveValue("halt");
  answerLaunch();
  await expect(page).toHaveURL(/\/runs\/halt-01/);

  // Where a start's link leads: to the run that is active.
  await page.goto(liverl.url);
  await expect(page).toHaveURL(/\/runs\/halt-01/);
  const stop = page.getByRole("button", { name: "Stop after step" });
  await expect(stop).toBeEnabled(LONG);
  await stop.click();
  await expect(page.getByText("Stopped").first()).toBeVisible(LONG);
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByText("Succeeded").first()).toBeVisible(LONG);
  await page
    .getByRole("navigation", { name: "Run" })
    .getByRole("link", { name: /^Checkpoints/ })
    .click();
  await expect(page.getByRole("cell", { name: /global_step_16/ })).toBeVisible();
});

test("an invalid filter shows its error at once and dims the rows of the filter before", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/runs/rise-01/rollouts`);
  const rows = page.getByRole("region", { name: "Rollouts" });
  await expect(rows.getByRole("row").nth(1)).toBeVisible();
  await expect(rows).toHaveCSS("opacity", "1");
  const filter = page.getByRole("combobox", { name: "Filter" });
  await filter.click();
  await filter.pressSequentially("rewrd < 0.5");
  await expect(page.getByText('Unknown field "rewrd". Did you mean reward?')).toBeVisible();
  await expect(page.getByRole("listbox", { name: "Suggestions" })).toBeHidden();
  await expect(page.getByText("Filter not applied")).toBeVisible();
  await expect(rows).not.toHaveCSS("opacity", "1");
  await page.getByRole("button", { name: "Use reward" }).click();
  await expect(rows).toHaveCSS("opacity", "1");
  await expect(page).toHaveURL(/f=reward/);
});

test("an unknown address keeps the navigation and suggests a page", async ({
  signedIn: page,
  liverl,
}) => {
  for (const [path, suggested] of [
    ["/cluster", "Cluster"],
    ["/p/quickstart/setings", "Settings"],
  ] as const) {
    const answer = await page.goto(`${liverl.url}${path}`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByText("Page not found").first()).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
    await page.getByRole("link", { name: `Go to ${suggested}` }).click();
    await expect(page).toHaveURL(new RegExp(`/p/quickstart/${suggested.toLowerCase()}$`));
  }
});

test("the log of a run is there, and is followed", async ({ signedIn: page, liverl }) => {
  await page.goto(`${liverl.url}/p/quickstart/runs/rise-01/logs`);
  const lines = page.getByLabel("Log lines");
  await expect(lines.getByText(/\S/).first()).toBeVisible();
  const log = join(liverl.dataDir, "runs/rise-01/logs", "trainer.log");
  await appendFile(log, "a line from outside\n");
  await expect(lines.getByText("a line from outside")).toBeVisible();
});
