import { ask } from "#fixtures/ask.ts";
import { expect, type LiveRL, test } from "#fixtures/liverl.ts";
import { launchSpec, specOf, succeeded } from "#fixtures/sample.ts";

test.describe.configure({ mode: "serial" });

const RUN = "again-01";
let rolloutId: string;

/** All that a person or a trainer could count of the run. */
async function counted(liverl: LiveRL) {
  const { rollouts, total } = await ask<{ rollouts: unknown[]; total: number }>(
    liverl,
    "rollout.list",
    { runId: RUN, limit: 100 },
  );
  const { keys } = await ask<{ keys: { key: string }[] }>(liverl, "metric.keys", { runId: RUN });
  const names = keys.map(({ key }) => key);
  return {
    ...{ rollouts, total, names },
    series: await ask<unknown>(liverl, "metric.series", { runId: RUN, keys: names.slice(0, 40) }),
    step: await ask<unknown>(liverl, "step.get", { runId: RUN, step: 1 }),
    run: await ask<unknown>(liverl, "run.get", { id: RUN }),
  };
}

test("an embedded run trains and leaves checkpoints", async ({ liverl }) => {
  const spec = await specOf(liverl, "quickstart");
  Object.assign(spec, { project: "quickstart", name: "again" });
  Object.assign(spec.model, { warmup_steps: 20 });
  Object.assign(spec.batch, { train_batch_size: 2, n: 4 });
  Object.assign(spec.trainer, {
    ...{ total_training_steps: 2, test_freq: 100, save_freq: 1, val_tasks: 8 },
    stop_at_val_reward: null,
  });
  await launchSpec(liverl, spec, "again");
  await succeeded(liverl, RUN);
  const { checkpoints } = await ask<{ checkpoints: { step: number }[] }>(
    liverl,
    "checkpoint.list",
    { runId: RUN },
  );
  expect(checkpoints.map(({ step }) => step)).toContain(1);
  const { rollouts } = await ask<{ rollouts: { rolloutId: string }[] }>(liverl, "rollout.list", {
    runId: RUN,
    f: "step = 1",
  });
  rolloutId = rollouts[0]?.rolloutId ?? "";
});

test("a turn is sampled again with a checkpoint, beside the original, and nothing counts it", async ({
  signedIn: page,
  liverl,
}) => {
  const before = await counted(liverl);
  await page.goto(`${liverl.url}/p/quickstart/runs/${RUN}/traj/${encodeURIComponent(rolloutId)}`);
  await page.getByRole("button", { name: "Sample turn 1 again" }).click();
  await expect(page).toHaveURL(/again=1/);
  const dialog = page.getByRole("dialog", { name: "Sample turn 1 again" });
  await dialog.getByLabel("Completions").fill("99");
  await dialog.getByRole("button", { name: "Sample again" }).click();
  await expect(dialog.getByLabel("Completions")).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("Completions").fill("3");
  await dialog.getByRole("combobox", { name: "Checkpoint" }).click();
  await page.getByRole("option", { name: "global_step_1", exact: true }).click();
  await dialog.getByRole("button", { name: "Sample again" }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f]{16}/);
  for (const number of [1, 2, 3])
    await expect(page.getByRole("article", { name: `Completion ${number}` })).toContainText("nat");
  await expect(page.getByRole("status").filter({ hasText: "3 sampled" })).toBeVisible();
  const original = page.getByRole("article", { name: "Original" });
  await expect(original).toContainText(/Under these weights: mean log-prob −?\d/);
  await expect(page.getByText("they never train")).toBeVisible();
  expect(await counted(liverl)).toEqual(before);
});

test("what is looked at is in the address, by keys, too", async ({ signedIn: page, liverl }) => {
  const { replays } = await ask<{ replays: { id: string }[] }>(liverl, "replay.list", {
    rolloutId,
  });
  await page.goto(`${liverl.url}/p/quickstart/runs/${RUN}/replays/${replays[0]?.id}`);
  await expect(page.getByRole("article", { name: "Completion 1" })).toBeVisible();
  await page.keyboard.press("l");
  await expect(page).toHaveURL(/show=logprob/);
  await page.keyboard.press("l");
  await expect(page).toHaveURL(/side=these/);
  await page.keyboard.press("o");
  await expect(page).toHaveURL(/sort=logprob/);
  await page.keyboard.press("j");
  await expect(page).toHaveURL(/at=\d/);
  await page.reload();
  await expect(page.locator("article[data-on]")).toHaveCount(1);
  await page.getByRole("link", { name: "Open the turn" }).click();
  // The keys are those of the page that is shown.
  await expect(page.getByRole("button", { name: "Sample turn 1 again" })).toBeVisible();
  await page.keyboard.press("s");
  const dialog = page.getByRole("dialog", { name: "Sample turn 1 again" });
  await expect(dialog.getByRole("link", { name: /turn 1/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: "Search or jump to" }).fill("Sample turn");
  await page.getByText("Sample turn 1 again…").click();
  await expect(dialog).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(1);
});

test("an engine that is not there says what to do", async ({ signedIn: page, liverl }) => {
  await page.goto(
    `${liverl.url}/p/quickstart/runs/${RUN}/traj/${encodeURIComponent(rolloutId)}?again=1`,
  );
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "An address" }).click();
  await dialog.getByLabel("Address", { exact: true }).fill("http://127.0.0.1:9");
  await dialog.getByRole("button", { name: "Sample again" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "No engine at" })).toContainText(
    "start it, or choose another one",
  );
});
