import { execFile } from "node:child_process";
import { appendFile, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "#fixtures/liverl.ts";

test.describe.configure({ mode: "serial" });

/** What verl's `file` logger wrote in a fully asynchronous run: rows of one step come apart. */
const recorded = fileURLToPath(
  new URL("../../apps/control/src/metrics/__fixtures__/fa1.jsonl", import.meta.url),
);
/** What tensorboardX wrote. */
const eventFile = fileURLToPath(
  new URL("../../apps/control/src/tensorboard/__fixtures__/tensorboardx.tfevents", import.meta.url),
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
  await page.getByRole("button", { name: "Attach a run" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Attach a run" });
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

test("a folder of TensorBoard is attached, and its scalars are there", async ({
  signedIn: page,
  liverl,
}) => {
  const folder = join(liverl.dataDir, "events");
  await mkdir(folder);
  await page.goto(`${liverl.url}/p/quickstart/runs`);
  await page.getByRole("button", { name: "Attach a run" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Attach a run" });
  await dialog.getByRole("button", { name: "TensorBoard" }).click();
  await dialog.getByLabel("Folder on this machine").fill(folder);
  await dialog.getByLabel("Name of the run").fill("tensorboard");
  await dialog.getByRole("button", { name: "Attach", exact: true }).click();
  await expect(dialog.getByText(/no event file/)).toBeVisible();
  await copyFile(eventFile, join(folder, "events.out.tfevents.1.host"));
  await dialog.getByRole("button", { name: "Attach", exact: true }).click();
  await expect(page).toHaveURL(runUrl);
  await expect(page.getByRole("slider", { name: "critic/score/mean:" })).toBeVisible();
});

test("the lines that the dialog gives log a run, which appears", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/runs`);
  await page.getByRole("button", { name: "Attach a run" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Attach a run" });
  const lines = dialog.locator("pre");
  for (const [name, variable] of [
    ["MLflow", "MLFLOW_TRACKING_URI"],
    ["W&B", "WANDB_BASE_URL"],
  ] as const) {
    await dialog.getByRole("button", { name, exact: true }).click();
    await expect(lines).toContainText(`export ${variable}=${liverl.url}`);
    await expect(lines).toContainText(join(liverl.dataDir, "ingest.token"));
  }
  await dialog.getByRole("button", { name: "API", exact: true }).click();
  await expect(lines).toContainText(liverl.url);
  const { stdout } = await promisify(execFile)("sh", ["-c", await lines.innerText()]);
  expect(JSON.parse(stdout)).toEqual({ runId: "my-run-01", points: 1 });
  await page.goto(`${liverl.url}/p/my-project/runs`);
  const row = page.getByRole("row", { name: /my-run/ });
  await expect(row.getByText("API", { exact: true })).toBeVisible();
  await row.getByRole("link", { name: "my-run" }).click();
  await page.getByRole("button", { name: "Mark as ended" }).click();
  await expect(page.getByText("Stopped").first()).toBeVisible();
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
