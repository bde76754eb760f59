export function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((a, b) => a + b, 0) / values.length;
}

/** Population standard deviation. */
export function standardDeviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

/** `<prefix>/mean`, `/max` and `/min`, as verl logs a distribution. */
export function spread(prefix: string, values: readonly number[]): Record<string, number> {
  const empty = values.length === 0;
  return {
    [`${prefix}/mean`]: mean(values),
    [`${prefix}/max`]: empty ? Number.NaN : values.reduce((a, b) => Math.max(a, b)),
    [`${prefix}/min`]: empty ? Number.NaN : values.reduce((a, b) => Math.min(a, b)),
  };
}

/** Pearson's correlation; NaN when either side is constant. */
export function correlation(a: readonly number[], b: readonly number[]): number {
  const meanA = mean(a);
  const meanB = mean(b);
  let cross = 0;
  let squareA = 0;
  let squareB = 0;
  for (let i = 0; i < a.length; i++) {
    cross += (a[i] - meanA) * (b[i] - meanB);
    squareA += (a[i] - meanA) ** 2;
    squareB += (b[i] - meanB) ** 2;
  }
  return cross / Math.sqrt(squareA * squareB);
}
