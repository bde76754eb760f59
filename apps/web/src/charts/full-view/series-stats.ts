import { isShown, type PlotLine, type Shown } from "#charts/plot-line.ts";
import { at, type SeriesColumns } from "#charts/series-columns.ts";

/** Of the points shown; null where there are none. */
export type SeriesStats = {
  last: { step: number; value: number } | null;
  min: number | null;
  max: number | null;
  mean: number | null;
  /** Whether buckets of several steps hide points from the mean: it is taken over their last ones. */
  isMeanOfBuckets: boolean;
};

/** Last, least, most and mean of what is shown of a series, unsmoothed. */
export function seriesStats(columns: SeriesColumns, line: PlotLine, shown: Shown): SeriesStats {
  const stats: SeriesStats = {
    last: null,
    min: null,
    max: null,
    mean: null,
    isMeanOfBuckets: false,
  };
  let mean = 0;
  let count = 0;
  for (let place = 0; place < line.length; place += 1) {
    const value = at(columns.value, place);
    if (!isShown(line, place, shown)) continue;
    const [low, high] = [at(columns.min, place), at(columns.max, place)];
    if (Number.isFinite(low)) stats.min = Math.min(stats.min ?? low, low);
    if (Number.isFinite(high)) stats.max = Math.max(stats.max ?? high, high);
    if (high > low) stats.isMeanOfBuckets = true;
    if (!Number.isFinite(value)) continue;
    count += 1;
    // Not a sum: that of large values is infinite.
    mean += (value - mean) / count;
    stats.last = { step: at(line.step, place), value };
  }
  if (count > 0) stats.mean = mean;
  return stats;
}
