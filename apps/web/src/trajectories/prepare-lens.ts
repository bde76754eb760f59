import { SURPRISE_BINS, SURPRISE_MAX, type TurnView } from "@liverl/contract/turn-view";
import type { TrajectoryView } from "@liverl/contract/views";
import { findLossy } from "#trajectories/find-lossy.ts";
import { countTrained } from "#trajectories/prepare-tokens.ts";
import { formatCount, formatSigned } from "#ui/format-number.ts";

export const LENSES = ["none", "mask", "logprob", "advantage", "version"] as const;
export type Lens = (typeof LENSES)[number];

/** −log p, in nats: below the first edge a token stays plain. */
export const SURPRISE_EDGES = [0.1, 0.4, 0.8, 1.4, 2] as const;
/** Size of an advantage: from each edge on the tint is stronger. */
const ADVANTAGE_EDGES = [0.5, 1.2] as const;

/** Name of the tint of the token at `index` of the range; empty for none. `advantage` is the rollout's. */
export function tintOf(
  lens: Lens,
  turn: TurnView,
  index: number,
  advantage: number | null = null,
): string {
  if (lens === "none") return "";
  if (lens === "mask") return isTrained(turn, index) ? "trained" : "given";
  if (lens === "advantage") return isTrained(turn, index) ? advantageTint(advantage) : "";
  if (turn.kind !== "sampled") return "";
  if (lens === "version") {
    const version = turn.tokens.versions?.[index];
    return version === null || version === undefined ? "" : `v${((version % 4) + 4) % 4}`;
  }
  const logprob = turn.tokens.logprobs?.[index];
  return logprob === undefined ? "" : `q${surpriseClass(-logprob)}`;
}

function isTrained(turn: TurnView, index: number): boolean {
  return turn.kind === "sampled"
    ? turn.trained
    : findLossy(turn, turn.from + index)?.isTrained === true;
}

export function surpriseClass(surprise: number): number {
  return SURPRISE_EDGES.filter((edge) => surprise >= edge).length;
}

/** `up1`…`up3` where the update makes a token likelier, `down1`…`down3` where it makes it less likely. */
function advantageTint(advantage: number | null): string {
  if (advantage === null || advantage === 0) return "";
  const size = 1 + ADVANTAGE_EDGES.filter((edge) => Math.abs(advantage) >= edge).length;
  return `${advantage > 0 ? "up" : "down"}${size}`;
}

export interface Bar {
  label: string;
  count: number;
  /** 0…1 of the plot's height. */
  height: number;
  tint: string;
}
export interface LensChart {
  title: string;
  /** What the heights mean. */
  note: string;
  bars: Bar[];
  /** Texts under the plot, evenly spread. */
  axis: string[];
  /** What is to be said of it; null for nothing. */
  words: string | null;
}

type Charted = Pick<TrajectoryView, "turns" | "logprobs" | "advantage" | "group">;

/** How the values of a lens spread over the segment; null for a lens without values. */
export function prepareLensChart(lens: Lens, view: Charted): LensChart | null {
  if (lens === "logprob") return surpriseChart(view);
  if (lens === "mask") return maskChart(view);
  if (lens === "version") return versionChart(view);
  if (lens === "advantage") return advantageChart(view);
  return null;
}

function surpriseChart({ logprobs }: Charted): LensChart {
  const counts = logprobs?.bins ?? new Array<number>(SURPRISE_BINS).fill(0);
  const tallest = Math.log10(Math.max(...counts) + 1) || 1;
  const bars = counts.map((count, bin): Bar => {
    const from = (bin / SURPRISE_BINS) * SURPRISE_MAX;
    const label =
      bin === SURPRISE_BINS - 1
        ? `${from.toFixed(2)} and more`
        : `${from.toFixed(2)}–${(((bin + 1) / SURPRISE_BINS) * SURPRISE_MAX).toFixed(2)}`;
    return {
      label,
      count,
      height: Math.log10(count + 1) / tallest,
      tint: `q${surpriseClass(from + SURPRISE_MAX / SURPRISE_BINS / 2)}`,
    };
  });
  return {
    title: "−log p of the sampled token",
    note: "log count",
    bars,
    axis: ["0", "1.25 nat", "≥ 2.5"],
    words: null,
  };
}

function maskChart({ turns }: Charted): LensChart {
  const tally = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
  const sampled = turns.filter(({ kind }) => kind === "sampled");
  const given = turns.filter(({ kind }) => kind === "given");
  const recomputed = tally(given.map(({ lossy }) => lossy?.trained ?? 0));
  const tokens = (trained: boolean) =>
    tally(sampled.filter((turn) => turn.trained === trained).map((turn) => turn.tokens));
  const counts: [string, number, string][] = [
    ["sampled, trained", tokens(true), "trained"],
    ["sampled, not trained", tokens(false), "given"],
    ["given, mask 0", tally(given.map((turn) => turn.tokens)) - recomputed, "given"],
  ];
  if (recomputed > 0) counts.push(["client's text, recomputed", recomputed, "trained"]);
  return { title: "Mask", note: "tokens", bars: shares(counts), axis: [], words: null };
}

function versionChart({ turns }: Charted): LensChart {
  const counts = new Map<number | null, number>();
  for (const [version, count] of turns.flatMap(({ versions }) => versions))
    counts.set(version, (counts.get(version) ?? 0) + count);
  const sorted = [...counts].sort((a, b) => (a[0] ?? -1) - (b[0] ?? -1));
  const rows = sorted.map(([version, count]): [string, number, string] => [
    version === null ? "unknown" : `v${version}`,
    count,
    version === null ? "" : `v${((version % 4) + 4) % 4}`,
  ]);
  return {
    ...{ title: "Weight version", note: "sampled tokens" },
    ...{ bars: shares(rows), axis: [], words: null },
  };
}

/** The group's rollouts by their advantage: it is the same for each trained token of one. */
function advantageChart({ turns, advantage, group }: Charted): LensChart {
  const { value, why } = advantage;
  const counts = new Map<string, [number, number]>();
  for (const { advantage: one } of value === null ? [] : group) {
    if (one === null) continue;
    const label = formatSigned(one, (size) => size.toFixed(2));
    counts.set(label, [one, (counts.get(label)?.[1] ?? 0) + 1]);
  }
  const rows = [...counts]
    .sort(([, [a]], [, [b]]) => b - a)
    .map(([label, [one, count]]): [string, number, string] => [label, count, advantageTint(one)]);
  const words =
    value === null
      ? why
      : `${formatSigned(value, (size) => size.toFixed(2))} for each of the ${formatCount(countTrained(turns))} trained tokens of this rollout.`;
  return { title: "Advantage", note: "rollouts of the group", bars: shares(rows), axis: [], words };
}

function shares(rows: readonly [string, number, string][]): Bar[] {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return rows.map(([label, count, tint]) => ({ label, count, tint, height: count / most }));
}
