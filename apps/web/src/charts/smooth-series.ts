import { at, type SeriesColumns } from "#charts/series-columns.ts";

/**
 * Exponential moving average with `weight` on the past (0 none, 0.99 much). Gaps stay gaps and do not pull the line, nor do
 * values outside of `kept`: the average goes on through their steps as it was.
 */
export function smoothSeries(
  columns: SeriesColumns,
  weight: number,
  kept: readonly [number, number] | null = null,
): Float64Array {
  const smooth = new Float64Array(columns.length);
  let past = Number.NaN;
  for (let place = 0; place < columns.length; place += 1) {
    const value = at(columns.value, place);
    if (!Number.isFinite(value)) {
      smooth[place] = Number.NaN;
      continue;
    }
    if (kept !== null && (value < kept[0] || value > kept[1])) {
      smooth[place] = past;
      continue;
    }
    past = Number.isNaN(past) ? value : weight * past + (1 - weight) * value;
    smooth[place] = past;
  }
  return smooth;
}
