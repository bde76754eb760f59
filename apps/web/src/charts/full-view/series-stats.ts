import type { Shown } from "#charts/plot-line.ts";
import type { PlotSeries } from "#charts/prepare-plot.ts";
import { at } from "#charts/series-columns.ts";
import { positionsOf } from "#charts/x-scale.ts";

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
export function seriesStats(
  { columns, scale }: Pick<PlotSeries, "columns" | "scale">,
  { x, window }: Shown,
): SeriesStats {
  const stats: SeriesStats = {
    ...{ last: null, min: null, max: null, mean: null },
    isMeanOfBuckets: false,
  };
  // A window is only there where series have scales of their own.
  const along = scale === undefined ? null : positionsOf(columns, scale);
  let mean = 0;
  let count = 0;
  for (let place = 0; place < columns.length; place += 1) {
    const value = at(columns.value, place);
    const step = at(columns.step, place);
    if (step < x[0] || step > x[1]) continue;
    const here = along === null ? 0 : at(along, place);
    if (window !== null && !(here >= window[0] && here <= window[1])) continue;
    const [low, high] = [at(columns.min, place), at(columns.max, place)];
    if (Number.isFinite(low)) stats.min = Math.min(stats.min ?? low, low);
    if (Number.isFinite(high)) stats.max = Math.max(stats.max ?? high, high);
    if (high > low) stats.isMeanOfBuckets = true;
    if (!Number.isFinite(value)) continue;
    count += 1;
    // Not a sum: that of large values is infinite.
    mean += (value - mean) / count;
    stats.last = { step, value };
  }
  if (count > 0) stats.mean = mean;
  return stats;
}
