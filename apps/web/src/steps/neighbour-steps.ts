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
