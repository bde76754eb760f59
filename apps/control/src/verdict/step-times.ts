import { finiteValues, type Signals } from "#verdict/load-signals.ts";

/** Seconds of each step, oldest first. */
export function stepTimes(signals: Signals): number[] {
  const logged = finiteValues(signals.get("timing_s/step"));
  return logged.length > 0 ? logged : finiteValues(signals.get("perf/time_per_step"));
}
