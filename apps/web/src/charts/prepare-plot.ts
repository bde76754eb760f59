import { clipRange } from "#charts/clip-range.ts";
import type { StepRange } from "#charts/metric-store.ts";
import { extentOf, type LineStyle, ownValues, type PlotLine, toLog } from "#charts/plot-line.ts";
import { steadyEnd } from "#charts/prepare-ticks.ts";
import { prepareXTicks } from "#charts/prepare-x-ticks.ts";
import { prepareYAxis } from "#charts/prepare-y-axis.ts";
import { at, lastFinite, type SeriesColumns } from "#charts/series-columns.ts";
import { smoothSeries } from "#charts/smooth-series.ts";
import { BY_STEP, positionOfStep, positionsOf, type XScale } from "#charts/x-scale.ts";

export type PlotSeries = LineStyle & {
  columns: SeriesColumns;
  /** Lower and upper edge of a band, as series of their own. */
  band?: readonly [SeriesColumns, SeriesColumns];
};

export type PlotMark = { step: number; flag: number };
export type Plot = {
  /** The steps shown. */
  x: StepRange;
  /** The ends of the x axis in its own unit. */
  span: readonly [number, number];
  /** Where a step stands on it; NaN where that is not known. */
  place: (step: number) => number;
  y: StepRange;
  xTicks: number[];
  xLabels: string[];
  yTicks: number[];
  /** What the ticks stand for; other numbers than `yTicks` on a log axis. */
  yValues: number[];
  lines: PlotLine[];
  isStacked: boolean;
  isLog: boolean;
  /** Values that are no numbers: ✕ for NaN, ▲ for ±Inf, at the top. */
  marks: PlotMark[];
  /** Points beyond the ends of a clipped axis. */
  clipped: number;
  /** Points that a log axis has no place for: zero and below. */
  belowLog: number;
  /** Why the x axis can not tell the points apart: all were read at one moment, or tokens are not logged. Null where it can. */
  blind: "times" | "tokens" | null;
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
  scale?: XScale;
  /** Whether points may still come: the axis then goes a little beyond the last. */
  isGrowing?: boolean;
  /** Not for stacked lines, which have to begin at zero. */
  isLog?: boolean;
  isClipped?: boolean;
  hasBand?: boolean;
  /** Its values are seconds. */
  isTime?: boolean;
};

/** Decides everything that a plot shows, so that the painter decides nothing. */
export function preparePlot(wish: PlotWish): Plot {
  const { x, isStacked = false, scale = BY_STEP, hasBand = true } = wish;
  const isLog = wish.isLog === true && !isStacked;
  const linesOf = (smoothing: number, kept: readonly [number, number] | null) =>
    wish.series.map((series) => lineOf(series, { smoothing, kept, hasBand, scale }));
  const raw = isStacked ? stackLines(wish.series, scale) : linesOf(0, null);
  const clip =
    wish.isClipped === true && !isStacked
      ? clipRange(ownValues(isLog ? toLog(raw) : raw, x))
      : null;
  // What the axis leaves out does not pull the smoothed line out with it.
  const kept = clip !== null && isLog ? ([10 ** clip[0], 10 ** clip[1]] as const) : clip;
  const drawn = isStacked || wish.smoothing === 0 ? raw : linesOf(wish.smoothing, kept);
  const lines = isLog ? toLog(drawn) : drawn;
  const [low, high] = clip ?? extentOf(lines, x);
  const includes = wish.includes ?? null;
  const bound = includes === null ? null : isLog ? Math.log10(includes) : includes;
  const y = prepareYAxis({
    low: bound === null ? low : Math.min(low, bound),
    high: bound === null ? high : Math.max(high, bound),
    isLog,
    startsAtZero: clip === null && wish.startsAtZero,
    ceiling: wish.ceiling,
    isTime: wish.isTime,
  });
  const span = spanOf(wish, lines, scale);
  const xTicks = prepareXTicks(scale.mode, span, wish.width);
  const ends: StepRange = [y.ticks[0] ?? 0, y.ticks.at(-1) ?? 1];
  return {
    x,
    span,
    place: (step) => positionOfStep(step, scale),
    y: ends,
    xTicks: xTicks.ticks,
    xLabels: xTicks.labels,
    yTicks: y.ticks,
    yValues: y.values,
    lines,
    isStacked,
    isLog,
    marks: marksOf(wish.series, x),
    clipped:
      clip === null ? 0 : ownValues(lines, x).filter((v) => v < ends[0] || v > ends[1]).length,
    blind: blindOf(lines, span, scale),
    belowLog: isLog ? ownValues(drawn, x).filter((value) => value <= 0).length : 0,
  };
}

function blindOf(
  lines: readonly PlotLine[],
  span: readonly [number, number],
  { mode, tokens }: XScale,
): Plot["blind"] {
  if (mode === "step" || lines.every(({ length }) => length < 2)) return null;
  if (mode === "tokens") return tokens !== null && tokens.step.length === 0 ? "tokens" : null;
  const longest = lines.reduce((best, line) => (line.length > best.length ? line : best));
  const times = longest.at.subarray(0, longest.length).filter(Number.isFinite);
  const widthS = (Math.max(...times) - Math.min(...times)) / (mode === "wall" ? 1_000 : 1);
  return span[1] > span[0] && widthS >= 1 ? null : "times";
}

/** The ends of the x axis: of the steps shown, and of the panel's own points in them. */
function spanOf(
  { x, isGrowing = false }: PlotWish,
  lines: readonly PlotLine[],
  scale: XScale,
): readonly [number, number] {
  if (scale.mode === "step") return x;
  let [first, last] = [positionOfStep(x[0], scale), positionOfStep(x[1], scale)];
  for (const line of lines) {
    for (let place = 0; place < line.length; place += 1) {
      const step = at(line.step, place);
      const here = at(line.at, place);
      if (step < x[0] || step > x[1] || !Number.isFinite(here)) continue;
      if (!(here >= first)) first = here;
      if (!(here <= last)) last = here;
    }
  }
  if (!Number.isFinite(first) || !Number.isFinite(last)) return [0, 1];
  // In seconds and tokens as in steps: the end stays where it is for a while, so that axes are drawn anew seldom.
  const unit = scale.mode === "wall" ? 1_000 : 1;
  return [first, isGrowing ? first + steadyEnd(0, (last - first) / unit) * unit : last];
}

function lineOf(
  series: PlotSeries,
  {
    smoothing,
    kept,
    hasBand,
    scale,
  }: {
    smoothing: number;
    /** Values outside of it are not smoothed over. */
    kept: readonly [number, number] | null;
    hasBand: boolean;
    scale: XScale;
  },
): PlotLine {
  const { columns, band } = series;
  const isWide = hasBand && band === undefined && hasSpread(columns);
  const edges = hasBand && band !== undefined ? band : null;
  const smooth =
    smoothing > 0 && series.isHollow !== true ? smoothSeries(columns, smoothing, kept) : null;
  return {
    color: series.color,
    isHollow: series.isHollow,
    isDashed: series.isDashed,
    end: series.end,
    step: columns.step,
    at: positionsOf(columns, scale),
    value: smooth ?? columns.value,
    raw: smooth === null ? null : columns.value,
    low: edges === null ? (isWide ? columns.min : null) : alignTo(columns, edges[0]),
    high: edges === null ? (isWide ? columns.max : null) : alignTo(columns, edges[1]),
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
function stackLines(series: readonly PlotSeries[], scale: XScale): PlotLine[] {
  const longest = series.reduce<SeriesColumns | null>(
    (best, { columns }) => (best === null || columns.length > best.length ? columns : best),
    null,
  );
  if (longest === null) return [];
  const { length } = longest;
  const places = positionsOf(longest, scale);
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
      at: places,
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
