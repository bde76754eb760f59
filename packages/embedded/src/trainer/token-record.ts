import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { EmbeddedSpec } from "@liverl/contract/launch";
import {
  encodeTrainedTokens,
  type OutOfLoss,
  parseTrainedName,
  TRAINED_TOKENS_FORMAT,
  type TrainedColumns,
  type TrainedUpdate,
  trainedName,
} from "@liverl/contract/trained-tokens";
import type { TrainerPlan, UpdateRecord } from "@liverl/contract/trainer";
import { isMissing, writeFileAtomic } from "@liverl/durable/atomic-file";
import type { Logger } from "pino";
import type { RecordTokens } from "#trainer/sampling-mode.ts";
import type { TrainedBatch } from "#trainer/train-batch.ts";

type Place = Pick<UpdateRecord, "step" | "update" | "version" | "isSynced">;

/** Writes one file an update. Training goes on where that fails: pages say that there is no record, then. */
export function tokenRecorder(
  plan: Pick<TrainerPlan, "runId" | "attempt" | "spec" | "trainedTokensDir">,
  log: Pick<Logger, "warn">,
): RecordTokens {
  const { trainedTokensDir: directory } = plan;
  return async (place, batch) => {
    try {
      const bytes = encodeTrainedTokens(describeUpdate(plan, place, batch), tokenColumns(batch));
      await mkdir(directory, { recursive: true });
      await writeFileAtomic(join(directory, trainedName(place)), bytes);
    } catch (error) {
      log.warn({ err: error, ...place }, "what the update computed of its tokens is not recorded");
    }
  };
}

/** Deletes the records of steps that the weights have not been through: a resume went back before them. */
export async function forgetTokensAfter(directory: string, step: number): Promise<void> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for (const name of names)
    if ((parseTrainedName(name)?.step ?? -1) > step) await rm(join(directory, name));
}

/** What the columns are of. Pure. */
export function describeUpdate(
  { runId, attempt, spec }: { runId: string; attempt: number; spec: EmbeddedSpec },
  place: Place,
  { rollouts, samples, actor }: TrainedBatch,
): TrainedUpdate {
  let end = 0;
  const { algorithm, optim, rollout } = spec;
  return {
    ...{ format: TRAINED_TOKENS_FORMAT, runId, attempt },
    ...{ step: place.step, update: place.update },
    ...{ version: place.version, isSynced: place.isSynced },
    ...{ epochs: optim.ppo_epochs, temperature: rollout.temperature },
    ratioOf: algorithm.loss_mode === "gspo" ? "sequence" : "token",
    ratioTo: algorithm.trainer_mode === "sync" ? "trainer" : "rollout",
    clip: { low: algorithm.clip_ratio_low, high: algorithm.clip_ratio_high },
    segments: samples.map(({ rolloutIndex, segmentId, positions, advantages }, i) => {
      const from = end;
      end += positions.length;
      const { rolloutId, sessionId } = rollouts[rolloutIndex];
      const isInLoss = (actor?.tokens[i] ?? null) !== null;
      const why: OutOfLoss = advantages.some((one) => one !== 0) ? "critic-warmup" : "no-advantage";
      return {
        ...{ rolloutId, sessionId, segmentId, rows: [from, end] as [number, number] },
        outOfLoss: isInLoss ? null : why,
      };
    }),
  };
}

/** One row a token, sample by sample. Pure. */
export function tokenColumns({ samples, scores, values, actor }: TrainedBatch): TrainedColumns {
  const floats = (read: (i: number) => Iterable<number>) =>
    Float32Array.from(samples.flatMap((_, i) => [...read(i)]));
  const outcome = (i: number) => actor?.tokens[i] ?? null;
  return {
    // `positions[k]` predicts the token behind it.
    position: Int32Array.from(samples.flatMap(({ positions }) => positions.map((at) => at + 1))),
    trainer_log_prob: floats((i) => scores.logProbabilities[i]),
    entropy: floats((i) => scores.entropies[i]),
    advantage: floats((i) => samples[i].advantages),
    ratio: floats((i) => outcome(i)?.ratios ?? samples[i].positions.map(() => Number.NaN)),
    value: values && floats((i) => values[i]),
    clipped: Uint8Array.from(
      samples.flatMap(({ positions }, i) =>
        positions.map((_, k) => (outcome(i)?.active[k] === 0 ? 1 : 0)),
      ),
    ),
  };
}
