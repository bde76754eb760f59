import { expect, test } from "vitest";
import { planVerl } from "#launch/plan-verl.ts";
import { VERL_PRESETS } from "#launch/presets/verl-presets.ts";
import { verlCpus } from "#launch/verl-cpus.ts";
import { SEEN } from "#testing/seen-evidence.ts";

function specOf(id: string) {
  const preset = VERL_PRESETS.find((each) => each.id === id);
  if (!preset) throw new Error(`no preset ${id}`);
  return preset.spec;
}
const plan = (spec: ReturnType<typeof specOf>, evidence = SEEN) =>
  planVerl(spec, evidence, { dataDir: "/d" });

test("a synchronous step updates once a mini batch, on the GPUs that also sample", () => {
  expect(plan(specOf("verl-official"))).toMatchObject({
    batchRollouts: 512,
    totalRollouts: 51_200,
    optimizerSteps: 400,
    pools: { trainer: { nodes: 1, gpusPerNode: 8 }, rollout: null },
    fullyAsync: null,
    checkpoints: { count: 3, sizeMb: 91_387 },
  });
});

test("fully_async counts in versions, and its sizes are those that verl prints", () => {
  const spec = specOf("ray-fully-async-3n");
  const planned = plan(spec);
  expect(planned).toMatchObject({
    batchRollouts: 512,
    optimizerSteps: 400,
    pools: { trainer: { nodes: 2, gpusPerNode: 8 }, rollout: { nodes: 1, gpusPerNode: 8 } },
    fullyAsync: { requiredSamples: 16, maxRequiredSamples: 96, totalRolloutSteps: 6400 },
  });
  // verl's own line back: int(total_rollout_steps / (required x trigger)).
  expect(6400 / (16 * spec.async.trigger_parameter_sync_step)).toBe(
    spec.trainer.total_training_steps,
  );
});

test("fully_async with the values of a real run has the limits that it logged", () => {
  // fully_async/static/* of a run with mini batch 2, trigger 2, staleness 0.5: required 2, at most 6.
  const spec = specOf("ray-fully-async-2n");
  const small = {
    ...spec,
    batch: { ...spec.batch, ppo_mini_batch_size: 2 },
    async: { ...spec.async, trigger_parameter_sync_step: 2, staleness_threshold: 0.5 },
  };
  expect(plan(small).fullyAsync).toMatchObject({ requiredSamples: 2, maxRequiredSamples: 6 });
});

test("a model that is not here leaves the estimates open", () => {
  expect(plan(specOf("verl-sync"), { ...SEEN, model: { state: "elsewhere" } })).toMatchObject({
    parameters: null,
    memory: null,
    checkpoints: { sizeMb: null },
  });
});

test("CPUs that Ray must have", () => {
  expect(verlCpus(specOf("verl-sync"))).toBe(8 * 3 + 1 + 9);
  expect(verlCpus(specOf("ray-fully-async-2n"))).toBe(16 * 3 + 23);
});
