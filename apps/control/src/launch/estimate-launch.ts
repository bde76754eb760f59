import { join } from "node:path";
import type { LaunchPlan, LaunchSpec } from "@liverl/contract/launch";
import type { Config } from "#config.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";

/** Of the embedded policy: config.json of a run's model folder has the same numbers. */
export interface ModelShape {
  vocab_size: number;
  hidden_size: number;
  intermediate_size: number;
  num_hidden_layers: number;
}
const DEFAULT_SHAPE: ModelShape = {
  vocab_size: 496,
  hidden_size: 64,
  intermediate_size: 256,
  num_hidden_layers: 2,
};
const BYTES_PER_FLOAT = 4;
/** Model, two Adam moments and the gradient. */
const TRAINER_COPIES = 4;
/** Resident size of an engine and of a trainer before any weight, measured with their runtime loaded. */
const BASE_MB = { engine: 110, trainer: 160 };

/** Parameters of a decoder with untied embeddings: four projections and two feed-forward matrices a layer. */
export function countParameters({
  vocab_size,
  hidden_size,
  intermediate_size,
  num_hidden_layers,
}: ModelShape): number {
  const layer =
    4 * hidden_size * hidden_size + 2 * hidden_size * intermediate_size + 2 * hidden_size;
  return 2 * vocab_size * hidden_size + num_hidden_layers * layer + hidden_size;
}

/** What a spec will do. Pure: nothing is started, looked up or written. */
export function estimateLaunch(
  spec: LaunchSpec,
  config: Pick<Config, "dataDir" | "dist">,
  stepS: number | null,
  shape: ModelShape = DEFAULT_SHAPE,
): LaunchPlan {
  const { batch, trainer, rollout, optim } = spec;
  const batchRollouts = batch.train_batch_size * batch.n;
  const parameters = countParameters(shape);
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
    batchRollouts,
    totalRollouts: batchRollouts * trainer.total_training_steps,
    optimizerSteps: trainer.total_training_steps * optim.ppo_epochs,
    parameters,
    memoryMb: {
      engine: Math.round(BASE_MB.engine + 2 * weightsMb),
      trainer: Math.round(BASE_MB.trainer + TRAINER_COPIES * weightsMb),
    },
    estimate: stepS === null ? null : { stepS, totalS: stepS * trainer.total_training_steps },
    checkpoints: {
      count: Math.ceil(trainer.total_training_steps / trainer.save_freq),
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
