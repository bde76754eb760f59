/** How a run changes the times of its tasks. Times in seconds. */
export interface TimeoutRule {
  /** Instead of the task's own; 0 counts as not set, as in Harbor. */
  override?: number | null;
  max?: number | null;
  /** Of this phase, or of all; 1 when left out. */
  multiplier?: number | null;
}

/** `min(override or task, max) × multiplier`, in seconds; null: no limit. */
export function effectiveTimeoutS(taskS: number | null, rule: TimeoutRule = {}): number | null {
  const base = rule.override || taskS;
  if (base === null) return null;
  const seconds = Math.min(base, rule.max || Number.POSITIVE_INFINITY) * (rule.multiplier ?? 1);
  return Number.isFinite(seconds) ? seconds : null;
}
