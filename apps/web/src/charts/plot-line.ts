import type { StepRange } from "#charts/metric-store.ts";
import { at } from "#charts/series-columns.ts";

/** How one series is drawn. Colours are names of CSS variables. */
export type LineStyle = {
  color: string;
  /** Hollow points on a dotted join: evaluations. */
  isHollow?: boolean;
  /** A second pool of machines: dashed as well as coloured. */
  isDashed?: boolean;
  /** A short name that stands at the line's end. */
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
  length: number;
};
/** Finite values of the lines themselves, unsmoothed and without bands, in the steps shown. */
export function ownValues(lines: readonly PlotLine[], x: StepRange): number[] {
  const values: number[] = [];
  for (const line of lines) {
    const own = line.raw ?? line.value;
    for (let place = 0; place < line.length; place += 1) {
      const value = at(own, place);
      const step = at(line.step, place);
      if (Number.isFinite(value) && step >= x[0] && step <= x[1]) values.push(value);
    }
  }
  return values;
}

export function extentOf(lines: readonly PlotLine[], x: StepRange): StepRange {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    for (let place = 0; place < line.length; place += 1) {
      const step = at(line.step, place);
      if (step < x[0] || step > x[1]) continue;
      for (const column of [line.value, line.raw, line.low, line.high]) {
        const value = column === null ? Number.NaN : at(column, place);
        if (!Number.isFinite(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
  }
  return [low, high];
}

/** log10 of everything. What is zero or below has no place; the lower edge of a band there is the smallest value that has. */
export function toLog(lines: readonly PlotLine[]): PlotLine[] {
  let least = Number.POSITIVE_INFINITY;
  for (const { value, length } of lines) {
    for (let place = 0; place < length; place += 1) {
      const here = at(value, place);
      if (here > 0 && here < least) least = here;
    }
  }
  const log = (column: Float64Array) =>
    column.map((value) => (value > 0 ? Math.log10(value) : Number.NaN));
  const edge = (column: Float64Array) =>
    column.map((value) => Math.log10(Number.isNaN(value) ? value : Math.max(value, least)));
  return lines.map((line) => ({
    ...line,
    value: log(line.value),
    raw: line.raw === null ? null : log(line.raw),
    low: line.low === null ? null : edge(line.low),
    high: line.high === null ? null : edge(line.high),
  }));
}
