/** Fewer values have no percentiles to speak of. */
const LEAST = 20;

/**
 * The 1st and 99th percentile by rank; at least one value at each end lies beyond. Null where there are too few values, or where
 * nearly all are alike: an axis of no height would show nothing.
 */
export function clipRange(values: readonly number[]): readonly [number, number] | null {
  if (values.length < LEAST) return null;
  const sorted = Float64Array.from(values).sort();
  const rank = Math.max(1, Math.round(sorted.length * 0.01));
  const low = sorted[rank] ?? 0;
  const high = sorted[sorted.length - 1 - rank] ?? 0;
  return high > low ? [low, high] : null;
}
