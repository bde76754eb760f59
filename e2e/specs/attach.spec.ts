import { appendFile, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "#fixtures/liverl.ts";

test.describe.configure({ mode: "serial" });

/** What verl's `file` logger wrote in a fully asynchronous run: rows of one step come apart. */
const recorded = fileURLToPath(
  new URL("../../apps/control/src/metrics/__fixtures__/fa1.jsonl", import.meta.url),
);
let path: string;
const runUrl = /\/p\/quickstart\/runs\/([^/?]+)/;
let run: string;

test("a verl run is attached by the path of its file, and its charts are there", async ({
  signedIn: page,
  liverl,
}) => {
  path = join(liverl.dataDir, "verl.jsonl");
  await copyFile(recorded, path);
  await page.goto(`${liverl.url}/p/quickstart/runs`);
  // In the head of the page, and in its empty state.
  await page.getByRole("button", { name: "Attach a file" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Attach a metrics file" });
  await dialog.getByLabel("Path on this machine").fill("/nowhere/at/all.jsonl");
  await dialog.getByLabel("Name of the run").fill("verl-fa1");
  await dialog.getByRole("button", { name: "Attach" }).click();
  await expect(dialog.getByText(/nowhere/)).toBeVisible();
  await dialog.getByLabel("Path on this machine").fill(path);
  await dialog.getByRole("button", { name: "Attach" }).click();
  await expect(page).toHaveURL(runUrl);
  run = runUrl.exec(page.url())?.[1] ?? "";
  for (const metric of ["critic/rewards/mean", "actor/ppo_kl", "perf/mfu/actor"]) {
    await expect(page.getByRole("slider", { name: `${metric}:` })).toBeVisible();
  }
});

test("a point that is written appears without a reload", async ({ signedIn: page, liverl }) => {
  await page.goto(`${liverl.url}/p/quickstart/runs/${run}/metrics`);
  await page.getByRole("searchbox").first().fill("critic/rewards/mean");
  const plot = page.getByRole("slider", { name: /^critic\/rewards\/mean/ });
  await expect(plot).toBeVisible();
  const newest = async () => Number(await plot.getAttribute("aria-valuemax"));
  const before = await newest();
  await appendFile(
    path,
    `${JSON.stringify({ step: before + 1, data: { "critic/rewards/mean": 0.5 } })}\n`,
  );
  await expect.poll(newest).toBe(before + 1);
});

test("the launch form answers faults at the field and agrees with its YAML", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/launch`);
  const form = page.getByRole("form", { name: "Launch form" });
  await form.getByLabel("Name", { exact: true }).fill("yaml");
  await form.getByLabel("Steps", { exact: true }).fill("17");
  await expect(page.getByRole("status").filter({ hasText: "Ready" })).toBeVisible();
  await form.getByLabel("Name", { exact: true }).fill("No Such Name");
  await expect(page.getByText(/lower-case letters/).first()).toBeVisible();
  await form.getByLabel("Name", { exact: true }).fill("yaml");
  await page.getByText("YAML", { exact: true }).click();
  await expect(page.getByText(/total_training_steps: 17/).first()).toBeVisible();
});

test("both themes, and the choice stays", async ({ signedIn: page, liverl }) => {
  await page.goto(`${liverl.url}/p/quickstart/runs`);
  await expect(page.getByText("verl-fa1").first()).toBeVisible();
  const scheme = () => page.locator("html").getAttribute("data-mantine-color-scheme");
  const before = await scheme();
  await page.keyboard.press("Shift+D");
  await expect.poll(scheme).not.toBe(before);
  await page.reload();
  await expect.poll(scheme).not.toBe(before);
});
