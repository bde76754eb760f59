/** Where a run went on from: points behind `fromStep` that are older than `sinceMs` are of an attempt that was thrown away. */
export interface Resumption {
  sinceMs: number;
  fromStep: number;
}

/** Whether a point led to the weights that the run has now. */
export function isOnLine(
  { step, wallMs }: { step: number; wallMs: number },
  resumed: Resumption | null,
): boolean {
  return resumed === null || step <= resumed.fromStep || wallMs >= resumed.sinceMs;
}
