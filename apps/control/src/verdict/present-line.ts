import type { Points } from "#metrics/chunk-points.ts";
import { isOnLine, type Resumption } from "#metrics/is-on-line.ts";
import type { RunSignals } from "#verdict/load-signals.ts";

/**
 * A run's signals without what an attempt logged behind the checkpoint that the present one went on from: those steps are not the
 * run's any more, however far that attempt came. Pure.
 */
export function presentLine(known: RunSignals): RunSignals {
  const { attemptSinceMs: sinceMs, attemptFromStep: fromStep } = known;
  if (sinceMs === null || fromStep === null) return known;
  const signals = new Map<string, Points>();
  let lastStep = fromStep;
  for (const [key, points] of known.signals) {
    const kept = cut(points, { sinceMs, fromStep });
    if (kept.step.length === 0) continue;
    signals.set(key, kept);
    lastStep = Math.max(lastStep, kept.step.at(-1) ?? fromStep);
  }
  return { ...known, signals, lastStep };
}

function cut(points: Points, resumed: Resumption): Points {
  const stays = points.step.map((step, i) =>
    isOnLine({ step, wallMs: points.wallMs[i] ?? 0 }, resumed),
  );
  if (stays.every(Boolean)) return points;
  const keep = <T>(list: readonly T[]) => list.filter((_, i) => stays[i]);
  return {
    step: keep(points.step),
    value: keep(points.value),
    flag: keep(points.flag),
    wallMs: keep(points.wallMs),
    seq: keep(points.seq),
  };
}
