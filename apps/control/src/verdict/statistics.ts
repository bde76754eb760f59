/** Median of a list; NaN when empty. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((a, b) => a + b, 0) / values.length;
}

/** Makes the median absolute deviation an estimate of the standard deviation of normal values. */
const MAD_TO_SIGMA = 1.4826;

/** How far the value lies from the median of the others, in robust standard deviations; 0 when they do not spread. */
export function robustZ(value: number, others: readonly number[]): number {
  const centre = median(others);
  const spread = median(others.map((other) => Math.abs(other - centre))) * MAD_TO_SIGMA;
  return spread > 0 ? (value - centre) / spread : 0;
}

/** Median absolute deviation as an estimate of the standard deviation; NaN when empty. */
export function robustSpread(values: readonly number[]): number {
  const centre = median(values);
  return median(values.map((value) => Math.abs(value - centre))) * MAD_TO_SIGMA;
}
