export interface Bar {
  label: string;
  count: number;
  /** 0…1 of the plot's height. */
  height: number;
  tint: string;
}
export interface LensChart {
  title: string;
  /** What the heights mean. */
  note: string;
  bars: Bar[];
  /** Texts under the plot, evenly spread. */
  axis: string[];
  /** The tints in order and the value at which each begins, as many; null for bars that name theirs. */
  ramp: { tints: string[]; labels: string[] } | null;
  /** What is to be said of it; null for nothing. */
  words: string | null;
}

/** Bars of a histogram, as high as the logarithm of their count. */
export function histogram(
  counts: readonly number[],
  describe: (bin: number) => { label: string; tint: string },
): Bar[] {
  const tallest = Math.log10(Math.max(...counts) + 1) || 1;
  return counts.map((count, bin) => ({
    ...describe(bin),
    count,
    height: Math.log10(count + 1) / tallest,
  }));
}

/** The tints of a sequential lens, and its edges from 0 on. */
export const sequentialRamp = (edges: readonly number[]) => ({
  tints: ["q0", ...edges.map((_, at) => `q${at + 1}`)],
  labels: [0, ...edges].map(String),
});
