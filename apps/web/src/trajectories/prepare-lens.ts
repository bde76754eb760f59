import { clipUnits, type TrainedPage, type TrainerNumber } from "@liverl/contract/trained-view";
import type { TurnView } from "@liverl/contract/turn-view";
import { findLossy } from "#trajectories/find-lossy.ts";

export const LENSES = [
  ...(["none", "mask", "logprob", "entropy"] as const),
  ...(["ratio", "advantage", "mismatch", "version"] as const),
] as const;
export type Lens = (typeof LENSES)[number];

/** Where the loss clips a ratio: below 1 − low, above 1 + high. */
export interface Clip {
  low: number;
  high: number;
}

/** What is known of a turn's tokens beside the record of their sampling. */
export interface Known {
  /** The rollout's, the same for all its tokens; null where it is not known, or each token has its own. */
  advantage: number | null;
  /** Of the update that took the segment; null where no record of one is there. */
  clip: Clip | null;
  /** What it computed of the turn's range; null where that is not there, or not yet. */
  trained: TrainedPage | null;
}
const NOTHING: Known = { advantage: null, clip: null, trained: null };

/** −log p, in nats: below the first edge a token stays plain. */
export const SURPRISE_EDGES = [0.1, 0.4, 0.8, 1.4, 2] as const;
/** Nats. */
export const ENTROPY_EDGES = [0.1, 0.4, 0.8, 1.4, 2] as const;
/** |Δ log-prob|, nats: two engines of one policy differ by less than the first. */
export const MISMATCH_EDGES = [0.001, 0.01, 0.05, 0.2, 1] as const;
/** Size of an advantage: from each edge on the tint is stronger. */
const ADVANTAGE_EDGES = [0.5, 1.2] as const;
/** Shares of the clip's bound: at 1 the loss clips. */
export const RATIO_EDGES = [0.125, 0.5, 1] as const;

/** Name of the tint of the token at `index` of the range; empty for none. */
export function tintOf(lens: Lens, turn: TurnView, index: number, known: Known = NOTHING): string {
  if (lens === "none") return "";
  if (lens === "mask") return isTrained(turn, index) ? "trained" : "given";
  if (lens === "logprob") return turn.kind === "sampled" ? surpriseTint(turn, index) : "";
  if (lens === "version") return turn.kind === "sampled" ? versionTint(turn, index) : "";
  return isTrained(turn, index) ? TRAINED_TINTS[lens](turn, index, known) : "";
}

function surpriseTint(turn: TurnView, index: number): string {
  const logprob = turn.tokens.logprobs?.[index];
  return logprob === undefined ? "" : sequentialTint(-logprob, SURPRISE_EDGES);
}

function versionTint(turn: TurnView, index: number): string {
  const version = turn.tokens.versions?.[index] ?? null;
  return version === null ? "" : `v${((version % 4) + 4) % 4}`;
}

type TrainedLens = "entropy" | "ratio" | "advantage" | "mismatch";

/** Tint of a token that trains, by what its update computed. */
const TRAINED_TINTS: Record<TrainedLens, (turn: TurnView, index: number, known: Known) => string> =
  {
    advantage: (_, index, { advantage, trained }) =>
      tintIf(trained?.advantages[index] ?? advantage, advantageTint),
    ratio: (_, index, { clip, trained }) =>
      clip === null
        ? ""
        : tintIf(trained?.ratios[index] ?? null, (ratio) => ratioTint(ratio, clip)),
    entropy: (_, index, { trained }) =>
      tintIf(trained?.entropies[index] ?? null, (nats) => sequentialTint(nats, ENTROPY_EDGES)),
    mismatch: (turn, index, { trained }) => {
      const sampled = logprobOf(turn, index);
      if (sampled === null) return "";
      return tintIf(trained?.trainerLogprobs[index] ?? null, (logprob) =>
        sequentialTint(Math.abs(logprob - sampled), MISMATCH_EDGES),
      );
    },
  };

const tintIf = (value: TrainerNumber, tint: (value: number) => string) =>
  value === null ? "" : tint(Number(value));

const logprobOf = (turn: TurnView, index: number) =>
  turn.kind === "sampled"
    ? (turn.tokens.logprobs?.[index] ?? null)
    : (findLossy(turn, turn.from + index)?.logprob ?? null);

function isTrained(turn: TurnView, index: number): boolean {
  return turn.kind === "sampled"
    ? turn.trained
    : findLossy(turn, turn.from + index)?.isTrained === true;
}

/** `q0` plain to `q5`; `odd` for what is no number, or endless. */
export function sequentialTint(value: number, edges: readonly number[]): string {
  if (!Number.isFinite(value)) return "odd";
  return `q${edges.filter((edge) => value >= edge).length}`;
}

/** `up1`…`up3` where the update makes a token likelier, `down1`…`down3` where it makes it less likely. */
export function advantageTint(advantage: number): string {
  if (!Number.isFinite(advantage)) return "odd";
  if (advantage === 0) return "";
  const size = 1 + ADVANTAGE_EDGES.filter((edge) => Math.abs(advantage) >= edge).length;
  return `${advantage > 0 ? "up" : "down"}${size}`;
}

/** `lo1`…`lo3` below 1, `hi1`…`hi3` above, by how near the clip's bound is; plain near 1. */
export function ratioTint(ratio: number, clip: Clip): string {
  if (!Number.isFinite(ratio)) return "odd";
  const units = clipUnits(ratio, clip);
  const size = RATIO_EDGES.filter((edge) => Math.abs(units) >= edge).length;
  return size === 0 ? "" : `${units < 0 ? "lo" : "hi"}${size}`;
}
