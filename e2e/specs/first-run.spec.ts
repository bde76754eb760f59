import { appendFile } from "node:fs/promises";
import { join } from "node:path";
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
  const answer = await page.request.get(
    `${liverl.url}/trpc/metric.series?input=${encodeURIComponent(JSON.stringify({ runId: "rise-01", keys: ["critic/rewards/mean"] }))}`,
  );
  const values: number[] = (await answer.json()).result.data.series[0].value;
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
  await page.getByRole("button", { name: /^Launch/ }).click();
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

test("the log of a run is there, and is followed", async ({ signedIn: page, liverl }) => {
  await page.goto(`${liverl.url}/p/quickstart/runs/rise-01/logs`);
  const lines = page.getByLabel("Log lines");
  await expect(lines.getByText(/\S/).first()).toBeVisible();
  const log = join(liverl.dataDir, "runs/rise-01/logs", "trainer.log");
  await appendFile(log, "a line from outside\n");
  await expect(lines.getByText("a line from outside")).toBeVisible();
});
