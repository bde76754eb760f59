import {
  type ReplayRow,
  type ReplaySample as ReplaySampleView,
  ReplaySampling,
  ReplayStatus,
  type ReplayView,
  ReplayWeights,
} from "@liverl/contract/replay";
import type { Replay, ReplaySample } from "@liverl/prisma/client";
import { z } from "zod";
import { viewStored } from "#database/view-stored.ts";
import type { TokenBytes } from "#trajectories/open-tokenizer.ts";
import { tokenTexts } from "#trajectories/token-texts.ts";

export const StoredVersions = z.array(z.number().int().nullable());
/** The turn as it was recorded, as a replay keeps it. */
export const StoredOriginal = z.object({
  tokenIds: z.array(z.number().int()),
  logprobs: z.array(z.number()),
  versions: StoredVersions,
  stopReason: z.string().nullable(),
  sampling: ReplaySampling,
});
export const StoredScores = z.array(z.number().nullable()).nullable();

/** `sampled`: completions that are there. */
export function viewReplayRow(row: Replay, sampled: number): ReplayRow {
  return viewStored(`replay ${row.id}`, () => ({
    id: row.id,
    runId: row.runId,
    rolloutId: row.rolloutId,
    segmentId: row.segmentId,
    nodeId: row.nodeId,
    turn: row.turn,
    weights: ReplayWeights.parse(row.weights),
    sampling: ReplaySampling.parse(row.sampling),
    n: row.n,
    sampled,
    status: ReplayStatus.parse(row.status),
    error: row.error,
    actor: row.actor,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  }));
}

export function viewReplay(
  { samples, ...row }: Replay & { samples: ReplaySample[] },
  tokenizer: TokenBytes | null,
): ReplayView {
  const { original, scores, versionsOf } = viewStored(`replay ${row.id}`, () => ({
    original: StoredOriginal.parse(row.original),
    scores: StoredScores.parse(row.scores),
    versionsOf: samples.map(({ versions }) => StoredVersions.parse(versions)),
  }));
  return {
    ...viewReplayRow(row, samples.length),
    trains: false,
    promptTokens: row.promptTokens,
    promptSha256: row.promptSha256,
    weightsSha256: row.weightsSha256,
    original: {
      ...viewTokens({ ...original, stopReason: engineEnd(original.stopReason) }, tokenizer),
      sampling: original.sampling,
      scores,
      meanScore: scores && meanOf(scores),
      scoreFault: row.scoreFault,
    },
    samples: samples.map(({ index, flaw, ...sample }, at) => ({
      ...{ index, flaw },
      ...viewTokens({ ...sample, versions: versionsOf[at] ?? [] }, tokenizer),
    })),
  };
}

/** A call that ended with tool calls was ended by the model's own end of turn, as its engine told it: `stop`, as of every completion. */
const engineEnd = (stopReason: string | null) =>
  stopReason === "tool_calls" ? "stop" : stopReason;

function viewTokens(
  {
    tokenIds,
    logprobs,
    versions,
    stopReason,
  }: Pick<z.infer<typeof StoredOriginal>, "tokenIds" | "logprobs" | "versions" | "stopReason">,
  tokenizer: TokenBytes | null,
): Omit<ReplaySampleView, "index" | "flaw"> {
  return {
    tokens: { ids: tokenIds, text: tokenTexts(tokenizer, tokenIds), logprobs, versions },
    stopReason,
    meanLogprob: meanOf(logprobs),
  };
}

/** Of those that are known; null where none is. */
function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
