import { join } from "node:path";
import { EMBEDDED_POLICY, parameterCount } from "@liverl/contract/embedded-policy";
import type { EmbeddedPlan, EmbeddedSpec } from "@liverl/contract/launch";
import type { Config } from "#config.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { firstStepOf } from "#forks/find-origin.ts";

const BYTES_PER_FLOAT = 4;
/** Model, two Adam moments and the gradient. */
const TRAINER_COPIES = 4;
/** Resident size of an engine and of a trainer before any weight, measured with their runtime loaded. */
const BASE_MB = { engine: 110, trainer: 160 };

/** Prompts of one step; a step of fully_async is what comes between two weight syncs. */
export function promptsOfStep({ algorithm, batch, async: values }: EmbeddedSpec): number {
  return algorithm.trainer_mode === "sync"
    ? batch.train_batch_size
    : batch.train_batch_size * values.require_batches * values.trigger_parameter_sync_step;
}

/** As verl derives them, in prompts; null in sync mode. */
function fullyAsyncOf({ algorithm, batch, async: values }: EmbeddedSpec) {
  if (algorithm.trainer_mode === "sync") return null;
  const requiredSamples = batch.train_batch_size * values.require_batches;
  const { staleness_threshold, trigger_parameter_sync_step } = values;
  return {
    requiredSamples,
    maxRequiredSamples: Math.floor(
      requiredSamples * (1 + staleness_threshold) * trigger_parameter_sync_step,
    ),
  };
}

/** What a spec will do. Pure: nothing is started, looked up or written. */
export function planEmbedded(
  spec: EmbeddedSpec,
  config: Pick<Config, "dataDir" | "dist">,
  stepS: number | null,
): EmbeddedPlan {
  const { batch, trainer, rollout, optim, algorithm } = spec;
  const batchRollouts = promptsOfStep(spec) * batch.n;
  const { save_freq, total_training_steps: end } = trainer;
  const first = firstStepOf(spec);
  const steps = Math.max(0, end - first);
  const updates = algorithm.trainer_mode === "sync" ? 1 : spec.async.trigger_parameter_sync_step;
  const parameters = parameterCount(EMBEDDED_POLICY);
  const weightsMb = (parameters * BYTES_PER_FLOAT) / 1e6;
  const files = runFiles(config.dataDir, `${spec.name}-NN`);
  const run = (program: string, ...rest: string[]) => [
    "node",
    join(config.dist, program),
    "--run-dir",
    files.directory,
    ...rest,
  ];
  return {
    kind: "embedded",
    batchRollouts,
    steps,
    totalRollouts: batchRollouts * steps,
    optimizerSteps: steps * updates * optim.ppo_epochs,
    fullyAsync: fullyAsyncOf(spec),
    parameters,
    memoryMb: {
      engine: Math.round(BASE_MB.engine + 2 * weightsMb),
      trainer: Math.round(BASE_MB.trainer + TRAINER_COPIES * weightsMb),
    },
    estimate: stepS === null ? null : { stepS, totalS: stepS * steps },
    checkpoints: {
      count: steps === 0 ? 0 : Math.ceil(end / save_freq) - Math.floor(first / save_freq),
      sizeMb: Math.round(3 * weightsMb * 10) / 10,
    },
    processes: [
      ...Array.from({ length: rollout.engines }, (_, i) => ({
        name: `engine-${i}`,
        argv: run("engine.mjs", "--index", String(i), "--port", "PORT"),
      })),
      { name: "trainer", argv: run("trainer.mjs") },
    ],
    files: [
      files.plan,
      files.model,
      files.weights,
      files.checkpoints,
      files.metrics(1),
      files.events(1),
      files.result,
    ],
  };
}
