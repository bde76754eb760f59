import { RolloutResult } from "@liverl/contract/rollout";
import type { TrainerPlan } from "@liverl/contract/trainer";
import { z } from "zod";
import { hashParameters } from "#model/parameters.ts";
import { readModelFolder } from "#model/read-model-folder.ts";
import { loadCheckpoint } from "#trainer/checkpoint-store.ts";
import { PeakFlops } from "#trainer/measure-peak.ts";
import { openBatchTools } from "#trainer/open-batch-tools.ts";
import { Stopwatch } from "#trainer/stopwatch.ts";
import { trainBatch } from "#trainer/train-batch.ts";
import type { TrainerState } from "#trainer/trainer-state.ts";

/** One update with the rollouts that it took. */
export const RecordedUpdate = z.object({
  step: z.number().int(),
  isSynced: z.boolean(),
  groups: z.array(z.array(RolloutResult)),
});
type RecordedUpdate = z.infer<typeof RecordedUpdate>;

/**
 * Does the updates after the checkpoint of `fromStep` again, on what they were recorded to have taken. Answers with the digest
 * of weights and optimizers, and with that of the checkpoint of `toStep`: equal where training is exact.
 */
export async function replayUpdates(
  plan: Pick<TrainerPlan, "runId" | "spec" | "checkpointsDir" | "modelDir" | "weightsDir">,
  fromStep: number,
  toStep: number,
  updates: AsyncIterable<RecordedUpdate> | Iterable<RecordedUpdate>,
): Promise<{ updates: number; replayed: string; saved: string }> {
  const { config } = await readModelFolder(plan.modelDir);
  const state = await loadCheckpoint(plan.checkpointsDir, fromStep);
  const tools = await openBatchTools(plan, config, state, new PeakFlops(0));
  let count = 0;
  for await (const { step, groups, isSynced } of updates) {
    state.progress.step = step - 1;
    await trainBatch(tools, state, groups, new Stopwatch(), isSynced);
    count++;
  }
  const saved = await loadCheckpoint(plan.checkpointsDir, toStep);
  return { updates: count, replayed: digest(state), saved: digest(saved) };
}

/** Of everything that an update changes. */
function digest({ parameters, adam, critic }: TrainerState): string {
  const own = [parameters, adam.mean, adam.square];
  return hashParameters(
    ...own,
    ...(critic ? [critic.parameters, critic.adam.mean, critic.adam.square] : []),
  );
}
