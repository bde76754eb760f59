import type { TurnView } from "@liverl/contract/views";
import { countRecomputed, findLossy } from "#trajectories/find-lossy.ts";

export const LENSES = ["none", "mask", "logprob", "version"] as const;
export type Lens = (typeof LENSES)[number];

/** −log p, in nats: below the first edge a token stays plain. */
export const SURPRISE_EDGES = [0.1, 0.4, 0.8, 1.4, 2] as const;
const BINS = 28;
const SURPRISE_MAX = 2.5;

/** Name of the tint of one token: `q0`…`q5`, `v0`…`v3`, `trained`, `given`, or empty. */
export function tintOf(lens: Lens, turn: TurnView, index: number): string {
  if (lens === "none") return "";
  if (lens === "mask") return isTrained(turn, index) ? "trained" : "given";
  if (turn.kind !== "sampled") return "";
  if (lens === "version") {
    const version = turn.tokens.versions?.[index];
    return version === null || version === undefined ? "" : `v${((version % 4) + 4) % 4}`;
  }
  const logprob = turn.tokens.logprobs?.[index];
  return logprob === undefined ? "" : `q${surpriseClass(-logprob)}`;
}

function isTrained(turn: TurnView, index: number): boolean {
  return turn.kind === "sampled" ? turn.trained : findLossy(turn, index)?.isTrained === true;
}

export function surpriseClass(surprise: number): number {
  return SURPRISE_EDGES.filter((edge) => surprise >= edge).length;
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
}

/** How the values of a lens spread over the segment; null for a lens without values. */
export function prepareLensChart(lens: Lens, turns: readonly TurnView[]): LensChart | null {
  if (lens === "logprob") return surpriseChart(turns);
  if (lens === "mask") return maskChart(turns);
  if (lens === "version") return versionChart(turns);
  return null;
}

function surpriseChart(turns: readonly TurnView[]): LensChart {
  const counts = new Array<number>(BINS).fill(0);
  for (const turn of turns) {
    if (turn.kind !== "sampled") continue;
    for (const logprob of turn.tokens.logprobs ?? []) {
      const bin = surpriseBin(-logprob);
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
  }
  const tallest = Math.log10(Math.max(...counts) + 1) || 1;
  const bars = counts.map((count, bin): Bar => {
    const from = (bin / BINS) * SURPRISE_MAX;
    const label =
      bin === BINS - 1
        ? `${from.toFixed(2)} and more`
        : `${from.toFixed(2)}–${(((bin + 1) / BINS) * SURPRISE_MAX).toFixed(2)}`;
    return {
      label,
      count,
      height: Math.log10(count + 1) / tallest,
      tint: `q${surpriseClass(from + SURPRISE_MAX / BINS / 2)}`,
    };
  });
  return {
    title: "−log p of the sampled token",
    note: "log count",
    bars,
    axis: ["0", "1.25 nat", "≥ 2.5"],
  };
}

/** Bar of the log-prob chart that a value falls into. */
export function surpriseBin(surprise: number): number {
  return Math.max(0, Math.min(BINS - 1, Math.floor((surprise / SURPRISE_MAX) * BINS)));
}

function maskChart(turns: readonly TurnView[]): LensChart {
  const tally = (wanted: (turn: TurnView) => boolean) =>
    turns.filter(wanted).reduce((sum, turn) => sum + turn.tokens.ids.length, 0);
  const recomputed = turns.reduce((sum, turn) => sum + countRecomputed(turn), 0);
  const counts: [string, number, string][] = [
    ["sampled, trained", tally((turn) => turn.kind === "sampled" && turn.trained), "trained"],
    ["sampled, not trained", tally((turn) => turn.kind === "sampled" && !turn.trained), "given"],
    ["given, mask 0", tally((turn) => turn.kind === "given") - recomputed, "given"],
  ];
  if (recomputed > 0) counts.push(["client's text, recomputed", recomputed, "trained"]);
  return { title: "Mask", note: "tokens", bars: shares(counts), axis: [] };
}

function versionChart(turns: readonly TurnView[]): LensChart {
  const counts = new Map<number | null, number>();
  for (const turn of turns) {
    if (turn.kind !== "sampled") continue;
    for (const at of turn.tokens.ids.keys()) {
      const version = turn.tokens.versions?.[at] ?? null;
      counts.set(version, (counts.get(version) ?? 0) + 1);
    }
  }
  const sorted = [...counts].sort((a, b) => (a[0] ?? -1) - (b[0] ?? -1));
  const rows = sorted.map(([version, count]): [string, number, string] => [
    version === null ? "unknown" : `v${version}`,
    count,
    version === null ? "" : `v${((version % 4) + 4) % 4}`,
  ]);
  return { title: "Weight version", note: "sampled tokens", bars: shares(rows), axis: [] };
}

function shares(rows: readonly [string, number, string][]): Bar[] {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return rows.map(([label, count, tint]) => ({ label, count, tint, height: count / most }));
}
