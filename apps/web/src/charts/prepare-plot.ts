import { clipRange } from "#charts/clip-range.ts";
import type { StepRange } from "#charts/metric-store.ts";
import {
  END_LABEL_LINE,
  type EndLabel,
  placeEndLabels,
  placeXLabels,
  type XLabel,
} from "#charts/place-labels.ts";
import {
  clipBands,
  extentOf,
  isShown,
  type LineStyle,
  ownValues,
  type PlotLine,
  type Shown,
  toLog,
  usualGap,
} from "#charts/plot-line.ts";
import { type PlotMark, prepareMarks } from "#charts/plot-marks.ts";
import { onAxis, steadyEnd } from "#charts/prepare-ticks.ts";
import { prepareXTicks } from "#charts/prepare-x-ticks.ts";
import { prepareYAxis, type YAxis } from "#charts/prepare-y-axis.ts";
import { at, lastFinite, type SeriesColumns, valueBefore } from "#charts/series-columns.ts";
import { smoothSeries } from "#charts/smooth-series.ts";
import { type MeasureText, widthAtMost } from "#charts/text-width.ts";
import { formatTicks, type ValueFormat } from "#charts/value-format.ts";
import { BY_STEP, positionOfStep, positionsOf, type XScale } from "#charts/x-scale.ts";

export type PlotSeries = LineStyle & {
  columns: SeriesColumns;
  /** Lower and upper edge of a band, as series of their own. */
  band?: readonly [SeriesColumns, SeriesColumns];
  /** Of the series' own run, where a plot has several. */
  scale?: XScale;
};

/** The plot itself inside of the chart, CSS pixels: left of it are the labels of the y axis, below those of the x axis. */
export type PlotBounds = { left: number; top: number; width: number; height: number };

export type Plot = Shown & {
  /** What the x axis counts. */
  mode: XScale["mode"];
  /** The ends of the x axis in its own unit. */
  span: readonly [number, number];
  /** Where a step stands on it; NaN where that is not known. */
  place: (step: number) => number;
  y: StepRange;
  yTicks: number[];
  yLabels: string[];
  xLabels: XLabel[];
  endLabels: EndLabel[];
  box: PlotBounds;
  lines: PlotLine[];
  isStacked: boolean;
  isLog: boolean;
  /** Whether a step stands at another place of the x axis in each line: several runs by time or tokens. */
  isMixed: boolean;
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
  /** A part of the axis in its own unit. */
  window?: readonly [number, number] | null;
  /** Of the whole chart, labels included; CSS pixels. */
  size: { width: number; height: number };
  format?: ValueFormat;
  measure?: MeasureText;
  isStacked?: boolean;
  startsAtZero?: boolean;
  /** Never above this, when no value is. */
  ceiling?: number;
  /** A value that the axis has to show, such as a limit. */
  includes?: number | null;
  /** Instead of an axis that is made for the values. */
  yAxis?: YAxis;
  /** Ends of the y axis that somebody chose; null is as the values are. */
  yRange?: readonly [number | null, number | null];
  /** Weight on the past, 0…0.99. */
  smoothing: number;
  scale?: XScale;
  /** Whether points may still come: the axis then goes a little beyond the last. */
  isGrowing?: boolean;
  /** Not for stacked lines, which have to begin at zero. */
  isLog?: boolean;
  isClipped?: boolean;
  hasBand?: boolean;
};

export const MARGIN = { top: 6, right: 10, bottom: 17 } as const;
/** Between a label of the y axis and the plot. */
export const LABEL_GAP = 6;
/** Most panels have this one, so that their plots begin below each other. */
const GUTTER = 40;
const GUTTER_STEP = 8;
/** An interval of the y axis takes at least this, CSS pixels. */
const TICK_PX = 27;
const MOST_TICKS = 8;
const MARK_PX = 9;

/** Decides everything that a plot shows, so that the painter decides nothing. */
export function preparePlot(wish: PlotWish): Plot {
  const { x, isStacked = false, scale = BY_STEP, hasBand = true, window = null } = wish;
  const shown: Shown = { x, window };
  const isLog = wish.isLog === true && !isStacked;
  const linesOf = (smoothing: number, kept: readonly [number, number] | null) =>
    wish.series.map((series) => lineOf(series, { smoothing, kept, hasBand, scale }));
  const raw = isStacked ? stackLines(wish.series, scale) : linesOf(0, null);
  const clip =
    wish.isClipped === true && !isStacked
      ? clipRange(ownValues(isLog ? toLog(raw) : raw, shown))
      : null;
  // What the axis leaves out does not pull the smoothed line out with it.
  const kept = clip !== null && isLog ? ([10 ** clip[0], 10 ** clip[1]] as const) : clip;
  const drawn = isStacked || wish.smoothing === 0 ? raw : linesOf(wish.smoothing, kept);
  const scaled = isLog ? toLog(drawn) : drawn;
  const [low, high] = clip ?? extentOf(scaled, shown, isLog);
  const y = wish.yAxis ?? yAxisOf(wish, { low, high, isLog, isClipped: clip !== null });
  const lines = isLog ? clipBands(scaled, y.ends) : scaled;
  const yLabels = yLabelsOf(wish.format ?? "auto", y);
  const span = window ?? spanOf(wish, lines, scale);
  const room = roomOf(wish, yLabels, lines);
  const xTicks = prepareXTicks(scale.mode, span, room.box.width);
  const plot: Plot = {
    ...shown,
    mode: scale.mode,
    span,
    place: (step) => positionOfStep(step, scale),
    y: y.ends,
    yTicks: y.ticks,
    yLabels,
    xLabels: [],
    endLabels: [],
    box: room.box,
    lines,
    isStacked,
    isLog,
    isMixed: scale.mode !== "step" && wish.series.some((one) => one.scale !== undefined),
    marks: [],
    clipped: 0,
    blind: blindOf(lines, span, scale),
    belowLog: isLog ? ownValues(drawn, shown).filter((value) => value <= 0).length : 0,
  };
  const toPixels = pixelsOf(plot);
  plot.xLabels = placeXLabels(
    xTicks.ticks.map((tick, place) => ({
      tick,
      text: xTicks.labels[place] ?? "",
      x: room.box.left + toPixels.x(tick),
    })),
    { left: room.box.left - 2, width: wish.size.width },
    wish.measure ?? widthAtMost,
  );
  if (room.hasEnds) plot.endLabels = endLabelsOf(plot, toPixels.y);
  if (clip !== null || wish.yRange !== undefined)
    plot.clipped = ownValues(lines, shown).filter((v) => v < y.ends[0] || v > y.ends[1]).length;
  plot.marks = marksOf(wish.series, plot, scale);
  return plot;
}

/** From the units of both axes to pixels of the plot box. */
export function pixelsOf({ span, y, box }: Pick<Plot, "span" | "y" | "box">) {
  const [first, last] = span;
  const [low, high] = y;
  return {
    x: (place: number) => ((place - first) / (last - first || 1)) * box.width,
    y: (value: number) => box.height - ((onAxis(value) - low) / (high - low || 1)) * box.height,
  };
}

type YExtent = { low: number; high: number; isLog: boolean; isClipped: boolean };

function yAxisOf(wish: PlotWish, { low, high, isLog, isClipped }: YExtent): YAxis {
  const inUnit = (value: number | null) =>
    value === null || !Number.isFinite(value) || (isLog && value <= 0)
      ? null
      : isLog
        ? Math.log10(value)
        : value;
  const bound = inUnit(wish.includes ?? null);
  const height = wish.size.height - MARGIN.top - MARGIN.bottom;
  const [from, to] = wish.yRange?.map(inUnit) ?? [];
  const axis = prepareYAxis({
    low: from ?? (bound === null ? low : Math.min(low, bound)),
    high: to ?? (bound === null ? high : Math.max(high, bound)),
    isLog,
    startsAtZero: !isClipped && wish.startsAtZero,
    ceiling: wish.ceiling,
    isTime: wish.format === "duration",
    count: Math.max(2, Math.min(MOST_TICKS, Math.floor(height / TICK_PX))),
  });
  const ends = [from ?? axis.ends[0], to ?? axis.ends[1]] as const;
  if (!(ends[1] > ends[0])) return axis;
  const isInside = axis.ticks.map((tick) => tick >= ends[0] && tick <= ends[1]);
  return {
    ...axis,
    ends,
    ticks: axis.ticks.filter((_, place) => isInside[place]),
    values: axis.values.filter((_, place) => isInside[place]),
  };
}

/** Ticks at equal distances are printed alike, decades each with its own digits. */
function yLabelsOf(format: ValueFormat, { values, isEven }: YAxis): string[] {
  return isEven ? formatTicks(format, values) : values.flatMap((one) => formatTicks(format, [one]));
}

/** The plot box beside its labels, and whether there is room for names at the lines' ends. */
function roomOf(
  { size, measure = widthAtMost, isStacked = false }: PlotWish,
  yLabels: readonly string[],
  lines: readonly PlotLine[],
): { box: PlotBounds; hasEnds: boolean } {
  const widest = Math.max(0, ...yLabels.map(measure)) + LABEL_GAP + 2;
  const left =
    widest <= GUTTER ? GUTTER : GUTTER + Math.ceil((widest - GUTTER) / GUTTER_STEP) * GUTTER_STEP;
  const height = Math.max(0, size.height - MARGIN.top - MARGIN.bottom);
  const names = isStacked ? [] : lines.flatMap(({ end }) => end ?? []);
  const right = Math.max(0, ...names.map(measure)) + MARK_PX + LABEL_GAP + 2;
  const hasEnds =
    names.length > 0 &&
    size.width - left - right >= size.width * 0.6 &&
    names.length * END_LABEL_LINE <= height;
  return {
    hasEnds,
    box: {
      left,
      top: MARGIN.top,
      width: Math.max(0, size.width - left - (hasEnds ? right : MARGIN.right)),
      height,
    },
  };
}

/** The place of the last point of a line that is shown; −1 without one. */
export function lastShown(line: PlotLine, shown: Shown): number {
  let place = line.length - 1;
  while (place >= 0 && !(Number.isFinite(at(line.value, place)) && isShown(line, place, shown)))
    place -= 1;
  return place;
}

function endLabelsOf(plot: Plot, y: (value: number) => number): EndLabel[] {
  const labels = plot.lines.flatMap((line) => {
    const place = line.end === undefined ? -1 : lastShown(line, plot);
    return place < 0 || line.end === undefined
      ? []
      : [{ text: line.end, color: line.color, y: y(at(line.value, place)) }];
  });
  return placeEndLabels(labels, plot.box.height);
}

function marksOf(series: readonly PlotSeries[], plot: Plot, scale: XScale): PlotMark[] {
  const { box, span } = plot;
  return prepareMarks(
    series.map((one, place) => {
      const line = plot.isStacked ? undefined : plot.lines[place];
      return {
        color: one.color,
        columns: one.columns,
        at: line?.at ?? positionsOf(one.columns, one.scale ?? scale),
        drawn: line === undefined ? null : (line.raw ?? line.value),
      };
    }),
    { ...plot, reach: box.width > 0 ? ((span[1] - span[0]) / box.width) * MARK_PX : 0 },
  );
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
  { x, series, isGrowing = false }: PlotWish,
  lines: readonly PlotLine[],
  scale: XScale,
): readonly [number, number] {
  if (scale.mode === "step") return x;
  // Each of several runs has its steps elsewhere, so that the lines alone say where the axis ends.
  const hasOwn = series.some((one) => one.scale !== undefined);
  let [first, last] = x.map((step) => (hasOwn ? Number.NaN : positionOfStep(step, scale))) as [
    number,
    number,
  ];
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
    at: positionsOf(columns, series.scale ?? scale),
    value: smooth ?? columns.value,
    raw: smooth === null ? null : columns.value,
    low: edges === null ? (isWide ? columns.min : null) : alignTo(columns, edges[0]),
    high: edges === null ? (isWide ? columns.max : null) : alignTo(columns, edges[1]),
    hasOwnBand: isWide,
    length: columns.length,
    maxGap: usualGap(columns),
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
  const maxGap = usualGap(longest);
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
      hasOwnBand: true,
      length,
      maxGap,
    };
    below = top;
    return line;
  });
}

/** The newest finite value of the steps shown, and how it changed over the last `over` steps of them. */
export function prepareLast(columns: SeriesColumns | null, range: StepRange | null, over: number) {
  const last = columns === null ? null : lastFinite(columns, range);
  if (columns === null || last === null) return { step: null, value: null, delta: null };
  const from = last.step - over;
  const before = range !== null && from < range[0] ? null : valueBefore(columns, from);
  return {
    step: last.step,
    value: last.value,
    delta: before === null ? null : last.value - before,
  };
}
