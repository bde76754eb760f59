import { finiteValues, type Signals } from "#verdict/load-signals.ts";

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
