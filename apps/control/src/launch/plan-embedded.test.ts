import { expect, test } from "vitest";
import { planEmbedded } from "#launch/plan-embedded.ts";
import { EMBEDDED_PRESETS, quickstart } from "#launch/presets/embedded-presets.ts";

const CONFIG = { dataDir: "/d", dist: "/dist" };
const FOLDER = "/d/runs/parent-01/checkpoints/global_step_15";
test("a fork plans what is left after its checkpoint", () => {
  const { spec } = quickstart;
  const { n, train_batch_size } = spec.batch;
  const trainer = { ...spec.trainer, total_training_steps: 60, save_freq: 10 };
  const whole = planEmbedded({ ...spec, trainer }, CONFIG, 2);
  expect(whole).toMatchObject({ steps: 60, estimate: { totalS: 120 }, checkpoints: { count: 6 } });
  const fork = planEmbedded(
    { ...spec, trainer: { ...trainer, resume_from_path: FOLDER } },
    CONFIG,
    2,
  );
  expect(fork).toMatchObject({
    steps: 45,
    totalRollouts: 45 * n * train_batch_size,
    optimizerSteps: 45 * spec.optim.ppo_epochs,
    estimate: { stepS: 2, totalS: 90 },
    // 20, 30, 40, 50 and 60.
    checkpoints: { count: 5 },
  });
});

test.each(EMBEDDED_PRESETS)(
  "optimizer steps of $id: a version's updates, and the epochs of each",
  ({ spec }) => {
    if (spec.driver !== "embedded") throw new Error("no embedded preset");
    const { algorithm, async: values, optim, trainer } = spec;
    const updates = algorithm.trainer_mode === "sync" ? 1 : values.trigger_parameter_sync_step;
    expect(planEmbedded(spec, CONFIG, null).optimizerSteps).toBe(
      trainer.total_training_steps * updates * optim.ppo_epochs,
    );
  },
);
