import type { ReplaySample, ReplayView, ReplayWeights } from "@liverl/contract/replay";
import { diffWordsWithSpace } from "diff";
import { surpriseClass } from "#trajectories/prepare-lens.ts";

export const SORTS = ["sampled", "logprob", "length"] as const;
type ReplaySort = (typeof SORTS)[number];
/** Log-probs of the original: as they were recorded, what the chosen weights give, or the difference. */
export const SIDES = ["recorded", "these", "change"] as const;

/** What a search for differences may take, milliseconds: long texts that share nothing would take for ever. */
const DIFF_MS = 300;
/** Change of a log-prob, in nats, from which on a tint is stronger. */
const CHANGE_EDGES = [0.1, 0.5, 1.5] as const;

/** `step 8 of repair-01`. */
export function nameWeights(weights: ReplayWeights): string {
  if (weights.kind === "checkpoint") return `step ${weights.step} of ${weights.runId}`;
  return weights.kind === "live" ? `engines of ${weights.runId}` : weights.url;
}

/** Likeliest first, longest first, or as they were sampled. */
export function sortSamples(
  samples: readonly ReplaySample[],
  sort: ReplaySort,
): readonly ReplaySample[] {
  const by = (rank: (sample: ReplaySample) => number) =>
    [...samples].sort((a, b) => rank(b) - rank(a) || a.index - b.index);
  if (sort === "logprob") return by(({ meanLogprob }) => meanLogprob ?? Number.NEGATIVE_INFINITY);
  return sort === "length" ? by(({ tokens }) => tokens.ids.length) : by(({ index }) => -index);
}

/** Neighbouring tokens that look alike. */
export interface TintedRun {
  /** Index of its first token. */
  at: number;
  text: string;
  tint: string;
}

/** Tokens by −log p; null for a token without one, which stays plain. */
export function tintByLogprob(
  text: readonly string[],
  logprobs: readonly (number | null)[] | null,
): TintedRun[] {
  return joinAlike(text, (at) => {
    const logprob = logprobs?.[at] ?? null;
    return logprob === null ? "" : `q${surpriseClass(-logprob)}`;
  });
}

/** Tokens by how much likelier (`up`) or less likely (`down`) the chosen weights find them than those that sampled them. */
export function tintByChange({ tokens, scores }: ReplayView["original"]): TintedRun[] {
  return joinAlike(tokens.text, (at) => {
    const score = scores?.[at] ?? null;
    const recorded = tokens.logprobs?.[at];
    if (score === null || recorded === undefined) return "";
    const size = CHANGE_EDGES.filter((edge) => Math.abs(score - recorded) >= edge).length;
    return size === 0 ? "" : `${score > recorded ? "up" : "down"}${size}`;
  });
}

function joinAlike(text: readonly string[], tintOf: (at: number) => string): TintedRun[] {
  const runs: TintedRun[] = [];
  for (const [at, piece] of text.entries()) {
    const tint = tintOf(at);
    const last = runs.at(-1);
    if (last?.tint === tint) last.text += piece;
    else runs.push({ at, text: piece, tint });
  }
  return runs;
}

interface DiffPiece {
  kind: "same" | "added" | "removed";
  text: string;
}

/** What a completion says otherwise than the original, word by word; null where they are too long and too different. */
export function diffAgainst(original: string, sample: string): DiffPiece[] | null {
  const words = diffWordsWithSpace(original, sample, { timeout: DIFF_MS });
  return (
    words?.map(({ value, added, removed }) => ({
      kind: added ? "added" : removed ? "removed" : "same",
      text: value,
    })) ?? null
  );
}
