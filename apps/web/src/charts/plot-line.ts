import type { StepRange } from "#charts/metric-store.ts";
import { at, type SeriesColumns } from "#charts/series-columns.ts";

/** How one series is drawn. Colours are names of CSS variables. */
export type LineStyle = {
  color: string;
  /** Hollow points on a dotted join: evaluations. */
  isHollow?: boolean;
  /** A second pool of machines: dashed as well as coloured. */
  isDashed?: boolean;
  /** A short name that stands right of the plot, at the height of the line's end. */
  end?: string;
};

export type PlotLine = LineStyle & {
  step: Float64Array;
  /** Where each point stands on the x axis. */
  at: Float64Array;
  /** On a log axis log10 of the values, as `raw`, `low` and `high` are; NaN where there is none. */
  value: Float64Array;
  /** The unsmoothed values, drawn faint beneath; null without smoothing. */
  raw: Float64Array | null;
  low: Float64Array | null;
  high: Float64Array | null;
  /** Whether `low` and `high` are what buckets of the line itself hold, and so are part of what the y axis has to show. */
  hasOwnBand: boolean;
  length: number;
  /** Two points further apart than so many steps are not joined: those between were not logged. */
  maxGap: number;
};

/** What of the lines is shown: steps, and on other axes than that of steps also a part of the axis in its own unit. */
export type Shown = { x: StepRange; window: readonly [number, number] | null };

export function isShown(line: PlotLine, place: number, { x, window }: Shown): boolean {
  const step = at(line.step, place);
  if (!(step >= x[0] && step <= x[1])) return false;
  const here = at(line.at, place);
  return window === null || (here >= window[0] && here <= window[1]);
}

/** Finite values of the lines themselves, unsmoothed and without bands, of what is shown. */
export function ownValues(lines: readonly PlotLine[], shown: Shown): number[] {
  const values: number[] = [];
  for (const line of lines) {
    const own = line.raw ?? line.value;
    for (let place = 0; place < line.length; place += 1) {
      const value = at(own, place);
      if (Number.isFinite(value) && isShown(line, place, shown)) values.push(value);
    }
  }
  return values;
}

/**
 * The lowest and highest value of what is shown. A band of other series (the least and most of a batch) counts on a linear axis only:
 * on a log axis it would leave no room for the line, and is clipped.
 */
export function extentOf(lines: readonly PlotLine[], shown: Shown, isLog: boolean): StepRange {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    const hasBand = line.hasOwnBand || !isLog;
    const columns = [line.value, line.raw, hasBand ? line.low : null, hasBand ? line.high : null];
    for (let place = 0; place < line.length; place += 1) {
      if (!isShown(line, place, shown)) continue;
      for (const column of columns) {
        const value = column === null ? Number.NaN : at(column, place);
        if (!Number.isFinite(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
  }
  return [low, high];
}

/** log10 of everything. What is zero or below has no place: NaN in a line, −Infinity in a band. */
export function toLog(lines: readonly PlotLine[]): PlotLine[] {
  const log = (column: Float64Array) =>
    column.map((value) => (value > 0 ? Math.log10(value) : Number.NaN));
  const edge = (column: Float64Array) =>
    column.map((value) => (value <= 0 ? Number.NEGATIVE_INFINITY : Math.log10(value)));
  return lines.map((line) => ({
    ...line,
    value: log(line.value),
    raw: line.raw === null ? null : log(line.raw),
    low: line.low === null ? null : edge(line.low),
    high: line.high === null ? null : edge(line.high),
  }));
}

/** Bands cut at the ends of the axis. */
export function clipBands(
  lines: readonly PlotLine[],
  [bottom, top]: readonly [number, number],
): PlotLine[] {
  const clip = (column: Float64Array) =>
    column.map((value) => Math.min(top, Math.max(bottom, value)));
  return lines.map((line) =>
    line.low === null || line.high === null
      ? line
      : { ...line, low: clip(line.low), high: clip(line.high) },
  );
}

/** Share of the distances that have to be alike for a series to count as regular. */
const REGULAR = 0.7;

/**
 * From how many steps between two points on some are missing. A regular series (each step, each tenth) misses one as soon as a distance
 * is longer than its usual one; an irregular one where it is far longer than nearly all.
 */
export function usualGap(columns: SeriesColumns): number {
  if (columns.length < 4) return Number.POSITIVE_INFINITY;
  const gaps = new Float64Array(columns.length - 1);
  for (let place = 1; place < columns.length; place += 1)
    gaps[place - 1] = at(columns.step, place) - at(columns.step, place - 1);
  gaps.sort();
  const median = at(gaps, gaps.length >> 1);
  let alike = 0;
  for (const gap of gaps) if (gap === median) alike += 1;
  if (alike >= gaps.length * REGULAR) return median * 1.5;
  return at(gaps, Math.floor(gaps.length * 0.9)) * 4;
}
