import type { TrajectoryView } from "@liverl/contract/views";

export type Phase = TrajectoryView["timeline"][number]["phase"];
export const PHASE_LABELS: Record<Phase, string> = {
  queue: "Queue",
  env: "Env",
  generate: "Generate",
  tool: "Tools and waits",
  verify: "Verify",
};

export interface TimeBar {
  phase: Phase;
  turn: number | null;
  /** Percent of the strip. */
  left: number;
  width: number;
  seconds: number;
  startS: number;
}
export interface TimeStrip {
  bars: TimeBar[];
  totals: { phase: Phase; seconds: number }[];
  totalS: number;
}

/** The attempt on one line, to scale; parts too short to see keep a hair's width. */
export function prepareTimeline(timeline: TrajectoryView["timeline"]): TimeStrip | null {
  if (timeline.length === 0) return null;
  const startS = Math.min(...timeline.map((part) => part.startS));
  const totalS = Math.max(...timeline.map((part) => part.endS)) - startS;
  if (!(totalS > 0)) return null;
  const bars = timeline.map(
    (part): TimeBar => ({
      phase: part.phase,
      turn: part.turn,
      left: ((part.startS - startS) / totalS) * 100,
      width: ((part.endS - part.startS) / totalS) * 100,
      seconds: part.endS - part.startS,
      startS: part.startS,
    }),
  );
  const sums = new Map<Phase, number>();
  for (const bar of bars) sums.set(bar.phase, (sums.get(bar.phase) ?? 0) + bar.seconds);
  const order = Object.keys(PHASE_LABELS) as Phase[];
  return {
    bars,
    totalS,
    totals: order.flatMap((phase) =>
      sums.has(phase) ? [{ phase, seconds: sums.get(phase) ?? 0 }] : [],
    ),
  };
}

/** Percent of the strip: what stays free after a bar, and the least width of one; a pixel of most screens. */
const HAIR = 0.08;

/** One SVG path a phase, in percent of the strip and its height. */
export function preparePhasePaths(bars: readonly TimeBar[]): { phase: Phase; path: string }[] {
  const paths = new Map<Phase, string>();
  for (const { phase, left, width } of bars) {
    const shown = Math.max(HAIR, width > 4 * HAIR ? width - HAIR : width);
    const bar = `M${left.toFixed(3)} 0h${shown.toFixed(3)}v1h-${shown.toFixed(3)}z`;
    paths.set(phase, (paths.get(phase) ?? "") + bar);
  }
  return [...paths].map(([phase, path]) => ({ phase, path }));
}

/** The turn at a place of the strip, in percent; where none is, the one that is nearest. Null without turns. */
export function turnAt(bars: readonly TimeBar[], percent: number): number | null {
  let nearest: { turn: number; distance: number } | null = null;
  for (const { turn, left, width } of bars) {
    if (turn === null) continue;
    const distance = Math.max(left - percent, percent - left - width, 0);
    if (nearest === null || distance < nearest.distance) nearest = { turn, distance };
  }
  return nearest?.turn ?? null;
}
