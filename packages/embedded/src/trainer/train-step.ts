import type { RolloutClient } from "#trainer/rollout-client.ts";
import { groupRequests } from "#trainer/rollout-requests.ts";
import type { RecordTokens, RecordUpdate, SamplingMode } from "#trainer/sampling-mode.ts";
import type { Stopwatch } from "#trainer/stopwatch.ts";
import { type BatchTools, type TrainedBatch, trainBatch } from "#trainer/train-batch.ts";
import { drawTask, type TrainerState, versionOf } from "#trainer/trainer-state.ts";

export interface StepTools extends BatchTools {
  client: Pick<RolloutClient, "runAll">;
  record: RecordUpdate;
  recordTokens: RecordTokens;
}

/** One step in sync mode: sample, score, update. Changes `state` in place. */
export async function trainStep(
  tools: StepTools,
  state: TrainerState,
  watch: Stopwatch,
): Promise<TrainedBatch> {
  const { spec, client, runId, record, recordTokens } = tools;
  const { train_batch_size, n } = spec.batch;
  const { progress } = state;
  const step = progress.step + 1;
  const requests = Array.from({ length: train_batch_size }, (_, g) =>
    groupRequests(spec, {
      ...{ runId, groupId: `${runId}.s${step}.g${g}`, step },
      taskRef: drawTask(progress).taskRef,
    }),
  ).flat();
  const rollouts = await watch.time("gen", () => client.runAll(requests));
  const groups = Array.from({ length: train_batch_size }, (_, g) =>
    rollouts.slice(g * n, (g + 1) * n),
  );
  const update = { step, update: 0, version: versionOf(progress), isSynced: true };
  await record({
    ...update,
    groups: groups.map((group) => group.map(({ rolloutId }) => rolloutId)),
  });
  const batch = await trainBatch(tools, state, groups, watch, true);
  await watch.time("record_tokens", () => recordTokens(update, batch));
  progress.step = step;
  return batch;
}

/** Rollouts and updates take turns. */
export function syncMode(tools: StepTools, state: TrainerState): SamplingMode {
  return {
    interrupt: "keep",
    train: async (watch) => [await trainStep(tools, state, watch)],
    beforeSync: async () => {},
    afterSync: () => ({}),
    untrained: () => [],
    close: async () => {},
  };
}
