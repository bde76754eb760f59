/** The step itself where it is known, else the nearest known one before it, else the first; null without any. */
export function nearestStep(steps: readonly number[], step: number): number | null {
  if (steps.length === 0) return null;
  const before = steps.filter((known) => known <= step);
  return before.length > 0 ? Math.max(...before) : Math.min(...steps);
}

/** The known steps before and after one; `steps` may be in any order and need not hold the step itself. */
export function neighbourSteps(
  steps: readonly number[],
  step: number,
): { previous: number | null; next: number | null } {
  let previous: number | null = null;
  let next: number | null = null;
  for (const known of steps) {
    if (known < step && (previous === null || known > previous)) previous = known;
    if (known > step && (next === null || known < next)) next = known;
  }
  return { previous, next };
}
