/** As many as a step of any trainer may have: 32 bits with a sign. */
const MOST_STEP = 2_147_483_647;

/** The step itself where it is known, else the nearest known one before it, else the first; null without any. */
export function nearestStep(steps: readonly number[], step: number): number | null {
  if (steps.length === 0) return null;
  const before = steps.filter((known) => known <= step);
  return before.length > 0 ? Math.max(...before) : Math.min(...steps);
}

/** The step that a part of an address names: `latest` is the newest known one; null where it is no step's number. */
export function stepOfPart(part: string, steps: readonly number[]): number | null {
  if (part === "latest") return steps.length === 0 ? null : Math.max(...steps);
  const step = /^\d{1,10}$/.test(part) ? Number(part) : Number.NaN;
  return step <= MOST_STEP ? step : null;
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
