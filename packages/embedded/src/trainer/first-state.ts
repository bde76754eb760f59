import { readdir } from "node:fs/promises";
import type { EmbeddedSpec } from "@liverl/contract/launch";
import { hash32 } from "@liverl/contract/random";
import type { TrainerPlan } from "@liverl/contract/trainer";
import { isMissing } from "@liverl/durable/atomic-file";
import type { Logger } from "pino";
import { newAdam } from "#learner/adam.ts";
import { newCritic } from "#learner/value-head.ts";
import type { ModelConfig } from "#model/architecture.ts";
import type { ModelFolder } from "#model/read-model-folder.ts";
import { listCheckpointSteps, loadCheckpoint } from "#trainer/checkpoint-store.ts";
import type { EventLog } from "#trainer/event-log.ts";
import { asFork, firstProgress, type TrainerState, versionOf } from "#trainer/trainer-state.ts";
import { warmStart } from "#trainer/warm-start.ts";

/** Warm-up updates between two reports of progress. */
const REPORT_EVERY = 10;

interface Surroundings {
  events: EventLog;
  log: Logger;
  threads: number;
}

/** What this life of the run begins from: the checkpoint that the plan names, else the warm-up. */
export async function firstState(
  plan: TrainerPlan,
  folder: ModelFolder,
  around: Surroundings,
): Promise<{ state: TrainerState; resumed: boolean }> {
  const { checkpointsDir, resumeFrom, spec } = plan;
  const steps = await listCheckpointSteps(checkpointsDir);
  const wanted = resumeFrom === "latest" ? steps.at(-1) : resumeFrom;
  if (wanted !== undefined && steps.includes(wanted)) {
    const { stateSha256, ...state } = await loadCheckpoint(checkpointsDir, wanted);
    await around.events.emit({ kind: "resume", step: wanted, stateSha256 });
    const isOrigin = spec.trainer.resume_from_path?.endsWith(`global_step_${wanted}`) ?? false;
    const fitted = await fitTo(plan, folder.config, isOrigin ? asFork(state) : state);
    return { state: fitted, resumed: true };
  }
  if (resumeFrom !== "latest" && resumeFrom !== 0)
    throw new Error(`there is no complete checkpoint of step ${resumeFrom} in ${checkpointsDir}`);
  const warm = await warmUpOf(plan, folder, around);
  const { parameters } = warm;
  const progress = firstProgress(hash32(`order ${spec.seed}`), warm.cached ? 0 : warm.seconds);
  const state = { progress, parameters, adam: newAdam(parameters), critic: null };
  return { state: await fitTo(plan, folder.config, state), resumed: false };
}

/** A checkpoint of another algorithm or mode has things that this run does not need, or lacks some that it does. */
async function fitTo(
  { spec, weightsDir }: TrainerPlan,
  config: ModelConfig,
  state: TrainerState,
): Promise<TrainerState> {
  const { adv_estimator, trainer_mode } = spec.algorithm;
  const critic = adv_estimator === "gae" ? (state.critic ?? freshCritic(spec, config)) : null;
  const { progress } = state;
  if (trainer_mode === "sync")
    return { ...state, critic, progress: { ...progress, weightVersion: null, untrained: [] } };
  const weightVersion = await unusedVersion(weightsDir, versionOf(progress));
  return { ...state, critic, progress: { ...progress, weightVersion } };
}

const freshCritic = (spec: EmbeddedSpec, config: ModelConfig) =>
  newCritic(config.hidden_size, hash32(`value head ${spec.seed}`));

/**
 * Fully-async training does not repeat itself, so what comes after a checkpoint is not what an earlier life made of it: its
 * versions keep their numbers, and this life counts on from them. A token's version names one file of weights for ever.
 */
async function unusedVersion(weightsDir: string, own: number): Promise<number> {
  const names = await readdir(weightsDir).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const newest = Math.max(
    ...names.map((name) => Number(/^v(\d+)\.safetensors$/.exec(name)?.[1] ?? -1)),
    -1,
  );
  return newest > own ? newest + 1 : own;
}

function warmUpOf(
  { spec, warmupDir }: TrainerPlan,
  folder: ModelFolder,
  { events, log, threads }: Surroundings,
) {
  const steps = spec.model.warmup_steps;
  return events.phase(
    "warmup",
    () =>
      warmStart(folder, {
        ...{ cacheDir: warmupDir, seed: spec.seed, steps, threads },
        onStep: async (step, loss) => {
          if ((step + 1) % REPORT_EVERY !== 0) return;
          const detail = `${step + 1} of ${steps} updates, loss ${loss.toFixed(3)}`;
          log.info(`warm-up: ${detail}`);
          const progress = (step + 1) / steps;
          await events.emit({ kind: "phase", id: "warmup", state: "progress", detail, progress });
        },
      }),
    ({ seconds, cached }) =>
      cached ? "from the cache" : `${steps} updates in ${seconds.toFixed(1)} s`,
  );
}
