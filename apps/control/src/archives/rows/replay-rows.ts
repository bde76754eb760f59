import { Count32 } from "@liverl/contract/int32";
import {
  isReplayOver,
  MOST_REPLAY_SAMPLES,
  MOST_REPLAY_TOKENS,
  ReplaySampling,
  ReplayStatus,
  ReplayWeights,
} from "@liverl/contract/replay";
import { z } from "zod";
import { idOf, moment, readBy, sha256, text, unequal } from "#archives/rows/row-values.ts";
import { StoredOriginal, StoredScores, StoredVersions } from "#replays/view-replay.ts";

const MOST_REASON = 20_000;
const SameLengths = StoredOriginal.superRefine(({ tokenIds, logprobs, versions }, ctx) => {
  const fault = unequal({ tokenIds, logprobs, versions });
  if (fault !== null) ctx.addIssue(fault);
});

/** A turn that was sampled again. It never trains, whatever the archive says. */
export const ReplayRow = z
  .object({
    id: z.string().regex(/^[0-9a-f]{16}$/, "is no id of a replay"),
    run_id: z.string(),
    rollout_id: idOf(),
    segment_id: Count32,
    node_id: Count32,
    turn: Count32.positive(),
    trains: z.unknown().transform(() => false),
    weights: ReplayWeights.transform(withoutUserinfo),
    weights_sha256: text(200).nullish(),
    prompt_tokens: Count32,
    prompt_sha256: sha256,
    sampling: readBy(ReplaySampling),
    n: z.number().int().min(1).max(MOST_REPLAY_SAMPLES),
    original: readBy(SameLengths),
    scores: readBy(StoredScores).nullish(),
    score_fault: text(MOST_REASON).nullish(),
    status: ReplayStatus.refine(isReplayOver, "it has not ended"),
    error: text(MOST_REASON).nullish(),
    actor: text(300),
    created_at: moment,
    ended_at: moment.nullish(),
  })
  .superRefine(({ original, scores }, ctx) => {
    const { tokenIds = [] } = StoredOriginal.safeParse(original).data ?? {};
    const known = StoredScores.safeParse(scores ?? null).data;
    if (known && known.length !== tokenIds.length)
      ctx.addIssue(`scores are of ${known.length} tokens, and the original has ${tokenIds.length}`);
  });

export const ReplaySampleRow = z
  .object({
    replay_id: z.string(),
    index: Count32,
    request_ids: z.array(text(300)).max(MOST_REPLAY_TOKENS),
    token_ids: z.array(Count32).max(MOST_REPLAY_TOKENS),
    logprobs: z.array(z.number()),
    versions: StoredVersions,
    stop_reason: text(200),
    flaw: text(MOST_REASON).nullish(),
    at: moment,
  })
  .superRefine(({ token_ids, logprobs, versions }, ctx) => {
    const fault = unequal({ token_ids, logprobs, versions });
    if (fault !== null) ctx.addIssue(fault);
  });

/** An engine's address may hold a name and a word that open it: neither leaves a LiveRL, nor comes into one. */
export function withoutUserinfo(weights: ReplayWeights): ReplayWeights {
  if (weights.kind !== "engine") return weights;
  const url = new URL(weights.url);
  if (url.username === "" && url.password === "") return weights;
  url.username = "";
  url.password = "";
  return { ...weights, url: url.href };
}
