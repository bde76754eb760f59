import type { RolloutRow } from "@liverl/contract/views";

export type Lane = "solved" | "failed" | "no reward";
export const LANES: readonly Lane[] = ["solved", "failed", "no reward"];

export interface ScatterPoint {
  rolloutId: string;
  label: string;
  lane: Lane;
  mark: "finished" | "truncated" | "no reward";
  tokens: number;
  /** 0…1 across the plot. */
  x: number;
  /** 0…1 across its lane. Follows from the id, so that a point never moves. */
  y: number;
}

export interface Scatter {
  points: ScatterPoint[];
  counts: Record<Lane, number>;
  /** Where the axis says a number; x is 0…1. */
  ticks: { x: number; tokens: number }[];
  log: boolean;
  /** The longest response allowed, 0…1; null when it is unknown or outside. */
  capX: number | null;
}

/** Sampled tokens of each finished rollout in the lane of its outcome. No reward is a lane of its own, never a zero. */
export function prepareScatter(rollouts: readonly RolloutRow[], lengthCap: number | null): Scatter {
  const done = rollouts.filter((row) => row.status !== "queued" && row.status !== "running");
  const counts: Record<Lane, number> = { solved: 0, failed: 0, "no reward": 0 };
  const lengths = done.map((row) => Math.max(1, row.tokensSampled ?? 0));
  const axis = lengthAxis(lengths, lengthCap);
  const points = done.map((row): ScatterPoint => {
    const lane = laneOf(row);
    counts[lane] += 1;
    return {
      rolloutId: row.rolloutId,
      label: `${row.taskName} · ${row.index + 1}`,
      lane,
      mark: lane === "no reward" ? "no reward" : row.truncated ? "truncated" : "finished",
      tokens: row.tokensSampled ?? 0,
      x: axis.at(Math.max(1, row.tokensSampled ?? 0)),
      y: unitHash(row.rolloutId),
    };
  });
  const capX = lengthCap === null ? null : axis.at(lengthCap);
  return {
    points,
    counts,
    ticks: axis.ticks,
    log: axis.log,
    capX: capX !== null && capX >= 0 && capX <= 1 ? capX : null,
  };
}

export function laneOf(row: Pick<RolloutRow, "reward">): Lane {
  if (row.reward === null) return "no reward";
  return row.reward >= 1 ? "solved" : "failed";
}

/** The point nearest to a place in pixels, at most `reach` away. */
export function nearestPoint<P extends { px: number; py: number }>(
  points: readonly P[],
  x: number,
  y: number,
  reach: number,
): P | null {
  let best: P | null = null;
  let bestSquare = reach * reach;
  for (const point of points) {
    const square = (point.px - x) ** 2 + (point.py - y) ** 2;
    if (square <= bestSquare) {
      best = point;
      bestSquare = square;
    }
  }
  return best;
}

function lengthAxis(lengths: readonly number[], cap: number | null) {
  const low = lengths.length === 0 ? 1 : Math.min(...lengths);
  const seen = lengths.length === 0 ? 10 : Math.max(...lengths);
  const high = cap !== null && cap >= seen && cap <= seen * 4 ? cap : seen;
  const log = high / low > 12;
  if (log) {
    const from = Math.log(low / 1.1);
    const to = Math.log(high * 1.06);
    const at = (tokens: number) => (Math.log(tokens) - from) / (to - from);
    return { log, at, ticks: logTicks(low, high).map((tokens) => ({ tokens, x: at(tokens) })) };
  }
  const step = niceStep((high - low) / 4 || 1);
  const from = Math.max(0, Math.floor(low / step) * step - step / 2);
  const to = Math.max(high + step / 3, from + step);
  const at = (tokens: number) => (tokens - from) / (to - from);
  const ticks: { tokens: number; x: number }[] = [];
  for (let tokens = Math.ceil(from / step) * step; tokens <= to; tokens += step)
    ticks.push({ tokens, x: at(tokens) });
  return { log, at, ticks };
}

function logTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let decade = 10 ** Math.floor(Math.log10(low)); decade <= high; decade *= 10) {
    for (const factor of [1, 2, 5])
      if (decade * factor >= low && decade * factor <= high) ticks.push(decade * factor);
  }
  return ticks.length > 7 ? ticks.filter((tick) => Number.isInteger(Math.log10(tick))) : ticks;
}

function niceStep(raw: number): number {
  const decade = 10 ** Math.floor(Math.log10(raw));
  return Math.max(1, ([1, 2, 5, 10].find((factor) => factor * decade >= raw) ?? 10) * decade);
}

/** 0…1 from a string: FNV-1a. */
function unitHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 0xffffffff;
}
