import type { StepRange } from "#charts/metric-store.ts";
import { prepareStepTicks, prepareTicks } from "#charts/prepare-ticks.ts";
import { at, lastFinite, type SeriesColumns } from "#charts/series-columns.ts";
import { smoothSeries } from "#charts/smooth-series.ts";

/** How one series is drawn. Colours are names of CSS variables. */
export type LineStyle = {
  color: string;
  /** Hollow points on a dotted join: evaluations. */
  isHollow?: boolean;
  /** A second pool of machines: dashed as well as coloured. */
  isDashed?: boolean;
};

export type PlotSeries = LineStyle & {
  columns: SeriesColumns;
  /** Lower and upper edge of a band, as series of their own. */
  band?: readonly [SeriesColumns, SeriesColumns];
};

export type PlotLine = LineStyle & {
  step: Float64Array;
  value: Float64Array;
  /** The unsmoothed values, drawn faint beneath; null without smoothing. */
  raw: Float64Array | null;
  low: Float64Array | null;
  high: Float64Array | null;
  length: number;
};
export type PlotMark = { step: number; flag: number };
export type Plot = {
  x: StepRange;
  y: StepRange;
  xTicks: number[];
  yTicks: number[];
  lines: PlotLine[];
  isStacked: boolean;
  /** Values that are no numbers: ✕ for NaN, ▲ for ±Inf, at the top. */
  marks: PlotMark[];
};

export type PlotWish = {
  series: readonly PlotSeries[];
  x: StepRange;
  width: number;
  isStacked?: boolean;
  startsAtZero?: boolean;
  /** Never above this, when no value is. */
  ceiling?: number;
  /** A value that the axis has to show, such as a limit. */
  includes?: number | null;
  /** Weight on the past, 0…0.99. */
  smoothing: number;
};

/** Decides everything that a plot shows, so that the painter decides nothing. */
export function preparePlot(wish: PlotWish): Plot {
  const { x, isStacked = false } = wish;
  const lines = isStacked
    ? stackLines(wish.series)
    : wish.series.map((series) => lineOf(series, wish.smoothing));
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
  if (wish.includes !== undefined && wish.includes !== null) {
    low = Math.min(low, wish.includes);
    high = Math.max(high, wish.includes);
  }
  const yTicks = ticksOf(low, high, wish);
  return {
    x,
    y: [yTicks[0] ?? 0, yTicks.at(-1) ?? 1],
    xTicks: prepareStepTicks(x[0], x[1], wish.width),
    yTicks,
    lines,
    isStacked,
    marks: marksOf(wish.series, x),
  };
}

function ticksOf(low: number, high: number, wish: PlotWish): number[] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const bottom = wish.startsAtZero && low >= 0 ? 0 : low;
  const isFlatZero = bottom === 0 && high === 0;
  // Shares that add up to 1 may come out a hair above it.
  const reach =
    wish.ceiling !== undefined && high <= wish.ceiling * (1 + 1e-6)
      ? Math.min(high, wish.ceiling)
      : high;
  const ticks = prepareTicks(bottom, isFlatZero ? (wish.ceiling ?? 1) : reach);
  if (wish.ceiling === undefined || reach > wish.ceiling) return ticks;
  const below = ticks.filter((tick) => tick <= (wish.ceiling ?? tick) + 1e-9);
  const top = below.at(-1) ?? 0;
  return top >= reach ? below : [...below, wish.ceiling];
}

function lineOf(series: PlotSeries, smoothing: number): PlotLine {
  const { columns, band } = series;
  const isWide = band === undefined && hasSpread(columns);
  const smooth =
    smoothing > 0 && series.isHollow !== true ? smoothSeries(columns, smoothing) : null;
  return {
    color: series.color,
    isHollow: series.isHollow,
    isDashed: series.isDashed,
    step: columns.step,
    value: smooth ?? columns.value,
    raw: smooth === null ? null : columns.value,
    low: band === undefined ? (isWide ? columns.min : null) : alignTo(columns, band[0]),
    high: band === undefined ? (isWide ? columns.max : null) : alignTo(columns, band[1]),
    length: columns.length,
  };
}

/** Whether any bucket holds more than one value. */
function hasSpread(columns: SeriesColumns): boolean {
  for (let place = 0; place < columns.length; place += 1) {
    if (at(columns.max, place) > at(columns.min, place)) return true;
  }
  return false;
}

/** The values of `other` at the steps of `columns`; NaN where it has none. */
export function alignTo(columns: SeriesColumns, other: SeriesColumns): Float64Array {
  const aligned = new Float64Array(columns.length).fill(Number.NaN);
  let there = 0;
  for (let place = 0; place < columns.length; place += 1) {
    const step = at(columns.step, place);
    while (there < other.length && at(other.step, there) < step) there += 1;
    if (there < other.length && at(other.step, there) === step)
      aligned[place] = at(other.value, there);
  }
  return aligned;
}

/** Each line on top of those before it. A step that a series lacks counts as nothing there. */
function stackLines(series: readonly PlotSeries[]): PlotLine[] {
  const longest = series.reduce<SeriesColumns | null>(
    (best, { columns }) => (best === null || columns.length > best.length ? columns : best),
    null,
  );
  if (longest === null) return [];
  const { length } = longest;
  let below = new Float64Array(length);
  return series.map(({ columns, color }) => {
    const own = alignTo(longest, columns);
    const top = new Float64Array(length);
    for (let place = 0; place < length; place += 1) {
      const value = at(own, place);
      top[place] = at(below, place) + (Number.isFinite(value) ? value : 0);
    }
    const line: PlotLine = {
      color,
      step: longest.step,
      value: top,
      raw: null,
      low: below,
      high: top,
      length,
    };
    below = top;
    return line;
  });
}

function marksOf(series: readonly PlotSeries[], x: StepRange): PlotMark[] {
  const marks: PlotMark[] = [];
  for (const { columns } of series) {
    for (let place = 0; place < columns.length; place += 1) {
      const flag = at(columns.flag, place);
      const step = at(columns.step, place);
      if (flag > 0 && step >= x[0] && step <= x[1]) marks.push({ step, flag });
    }
  }
  return marks;
}

/** The newest finite value and how it changed over the last `over` steps. */
export function prepareLast(
  columns: SeriesColumns | null,
  valueAt: (step: number) => number | null,
  over: number,
) {
  const last = columns === null ? null : lastFinite(columns);
  if (last === null) return { step: null, value: null, delta: null };
  const before = valueAt(last.step - over);
  return {
    step: last.step,
    value: last.value,
    delta: before === null ? null : last.value - before,
  };
}
