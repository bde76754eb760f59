import { isShown, type PlotLine, type Shown } from "#charts/plot-line.ts";
import { at } from "#charts/series-columns.ts";

/** A point of a line as Recharts takes it; without a value it is a gap. */
export type LineRow = {
  x: number;
  y: number | null;
  raw: number | null;
  band: [number, number] | null;
  /** Joined to no other point, so that it needs a dot to be seen. */
  isLone: boolean;
};

/** The points of a line that are shown, with one more on each side, and a row without a value where steps are missing between two. */
export function lineRows(line: PlotLine, shown: Shown): LineRow[] {
  let first = 0;
  while (first < line.length && !isShown(line, first, shown)) first += 1;
  let last = line.length - 1;
  while (last >= first && !isShown(line, last, shown)) last -= 1;
  const rows: LineRow[] = [];
  for (
    let place = Math.max(0, first - 1);
    place <= Math.min(line.length - 1, last + 1);
    place += 1
  ) {
    const x = at(line.at, place);
    if (!Number.isFinite(x)) continue;
    const isApart =
      rows.length > 0 && at(line.step, place) - at(line.step, place - 1) > line.maxGap;
    const before = rows.at(-1);
    if (isApart && before !== undefined) rows.push({ ...GAP, x: (before.x + x) / 2 });
    const [low, high] = [valueAt(line.low, place), valueAt(line.high, place)];
    rows.push({
      x,
      y: valueAt(line.value, place),
      raw: valueAt(line.raw, place),
      band: low === null || high === null ? null : [low, high],
      isLone: false,
    });
  }
  for (const [place, row] of rows.entries())
    row.isLone =
      row.y !== null &&
      (rows[place - 1]?.y ?? null) === null &&
      (rows[place + 1]?.y ?? null) === null;
  return rows;
}

const GAP = { y: null, raw: null, band: null, isLone: false };

function valueAt(column: Float64Array | null, place: number): number | null {
  const value = column === null ? Number.NaN : at(column, place);
  return Number.isFinite(value) ? value : null;
}
