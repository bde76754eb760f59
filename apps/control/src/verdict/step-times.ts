import { finiteValues, type Signals } from "#verdict/load-signals.ts";
import { median } from "#verdict/statistics.ts";

/** The first that a run logs. */
export const STEP_TIME_KEYS = ["timing_s/step", "perf/time_per_step"] as const;
/** A run's step time is the median of so many. */
export const RECENT_STEPS = 10;

/** Seconds of each step, oldest first. */
export function stepTimes(signals: Signals): number[] {
  for (const key of STEP_TIME_KEYS) {
    const logged = finiteValues(signals.get(key));
    if (logged.length > 0) return logged;
  }
  return [];
}

/** Gaps that the usual one is the median of. */
const GAPS = 20;

/**
 * Usual time between the metrics of two steps, seconds: the larger of the time between their points and the step time that the
 * trainer logs, because points of a file that is read late come all at once. Null where neither is known.
 */
export function usualGapS(signals: Signals): number | null {
  const times = new Map<number, number>();
  for (const { step, wallMs } of signals.values())
    for (let i = Math.max(0, step.length - GAPS - 1); i < step.length; i++) {
      const one = step[i] ?? 0;
      times.set(one, Math.max(times.get(one) ?? Number.NEGATIVE_INFINITY, wallMs[i] ?? 0));
    }
  const newest = [...times].sort((a, b) => a[0] - b[0]).slice(-GAPS - 1);
  const gaps = newest.slice(1).map(([, at], i) => (at - (newest[i]?.[1] ?? at)) / 1000);
  const known = [median(gaps), median(stepTimes(signals).slice(-GAPS))].filter((gap) => gap > 0);
  return known.length === 0 ? null : Math.max(...known);
}
