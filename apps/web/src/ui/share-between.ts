/** Where a value stands between two ends, 0 to 1; 0 where they are one. In halves, as the span of two doubles may be none. */
export function shareBetween(low: number, high: number, value: number): number {
  return (value / 2 - low / 2) / (high / 2 - low / 2 || 1);
}
