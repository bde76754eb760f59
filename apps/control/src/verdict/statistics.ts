/** Median of a list; NaN when empty. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  // Halved before they are added: the sum of two large values has no room in a double.
  return sorted.length % 2 === 1 ? upper : (sorted[middle - 1] ?? Number.NaN) / 2 + upper / 2;
}

export function mean(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sum = values.reduce((a, b) => a + b, 0);
  if (Number.isFinite(sum)) return sum / values.length;
  // Finite values whose sum has no room in a double.
  return values.reduce((a, b) => a + b / values.length, 0);
}

/** Makes the median absolute deviation an estimate of the standard deviation of normal values. */
const MAD_TO_SIGMA = 1.4826;

/**
 * How far the value lies from the median of the others, in robust standard deviations. These are at least `share` of the median and at
 * least `floor`, in the quantity's own unit: over others that are all alike, noise is near and a spike is far.
 */
export function robustZ(
  value: number,
  others: readonly number[],
  { share, floor }: { share: number; floor: number },
): number {
  const centre = median(others);
  const spread = Math.max(robustSpread(others), share * Math.abs(centre), floor);
  return value === centre ? 0 : (value - centre) / spread;
}

/** Median absolute deviation as an estimate of the standard deviation; NaN when empty. */
export function robustSpread(values: readonly number[]): number {
  const centre = median(values);
  return median(values.map((value) => Math.abs(value - centre))) * MAD_TO_SIGMA;
}

/** Slope of the least-squares line through `[x, y]`; NaN where all lie at one x. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const middleX = mean(points.map(([x]) => x));
  const middleY = mean(points.map(([, y]) => y));
  const spread = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  return points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0) / spread;
}
