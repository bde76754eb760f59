import type { StepRange } from "#charts/metric-store.ts";
import { isShown, type PlotLine } from "#charts/plot-line.ts";
import type { Plot, PlotSeries } from "#charts/prepare-plot.ts";
import { at, nearestPlace, placeOf, type SeriesColumns } from "#charts/series-columns.ts";

type Picked = { plot: Plot; drawn: readonly PlotSeries[] };

/** The series with the most points decides which steps there are. */
function densest(drawn: readonly PlotSeries[]): SeriesColumns | null {
  let best: SeriesColumns | null = null;
  for (const { columns } of drawn)
    if (columns.length > 0 && (best === null || columns.length > best.length)) best = columns;
  return best;
}

function inside(columns: SeriesColumns, place: number, x: StepRange): boolean {
  const step = at(columns.step, place);
  return step >= x[0] && step <= x[1];
}

/** A logged step, and where it stands on the axis where that is not the same for all lines. */
export type PickedPoint = { step: number; at: number | null };

/** The logged step nearest to a place in the plot (CSS pixels from its left edge); null when there is none. */
export function pointAt({ plot, drawn }: Picked, left: number): PickedPoint | null {
  const columns = densest(drawn);
  const line = plot.lines[drawn.findIndex((series) => series.columns === columns)];
  if (columns === null || line === undefined || plot.box.width <= 0) return null;
  const wished = positionAt(plot, left);
  if (plot.isMixed) return nearestOfAll(plot, wished);
  const place = nearestTo(line, wished, columns);
  return place >= 0 && inside(columns, place, plot.x)
    ? { step: at(columns.step, place), at: null }
    : null;
}

/** Of all lines the point that is nearest, as each run has its steps elsewhere. */
function nearestOfAll(plot: Plot, wished: number): PickedPoint | null {
  let best: PickedPoint | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const line of plot.lines) {
    const place = placeNear(line, wished);
    const here = at(line.at, place);
    const distance = Math.abs(here - wished);
    if (distance < least && isShown(line, place, plot)) {
      least = distance;
      best = { step: at(line.step, place), at: here };
    }
  }
  return best;
}

/** The place of a line's point nearest to a position; −1 where none has one. */
export function placeNear(line: PlotLine, wished: number): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let place = 0; place < line.length; place += 1) {
    const distance = Math.abs(at(line.at, place) - wished);
    if (distance < least) {
      least = distance;
      best = place;
    }
  }
  return best;
}

/** Where a pixel lies on the x axis, in its own unit. */
function positionAt({ span, box }: Plot, left: number): number {
  return span[0] + (Math.max(0, Math.min(box.width, left)) / box.width) * (span[1] - span[0]);
}

/** Steps are in order; times need not be, as a resumed run repeats steps, and tokens of the newest may not be known. */
function nearestTo(line: PlotLine, wished: number, columns: SeriesColumns): number {
  if (line.at === columns.step) return nearestPlace(columns, wished);
  return placeNear(line, wished);
}

/** Which rollouts a point stands for: held-out ones where only evaluations have it. */
export function modeAt({ drawn }: Pick<Picked, "drawn">, step: number): "train" | "eval" {
  const here = drawn.filter(({ columns }) => {
    const place = nearestPlace(columns, step);
    return place >= 0 && at(columns.step, place) === step;
  });
  return here.length > 0 && here.every(({ isHollow }) => isHollow === true) ? "eval" : "train";
}

/** The next logged step in a direction; the newest one when none is chosen yet. */
export function nextStep(
  { plot, drawn }: Picked,
  from: number | null,
  direction: 1 | -1,
): PickedPoint | null {
  const columns = densest(drawn);
  const line = plot.lines[drawn.findIndex((series) => series.columns === columns)];
  if (columns === null || line === undefined) return null;
  const pointOf = (place: number) => ({
    step: at(columns.step, place),
    at: plot.isMixed ? at(line.at, place) : null,
  });
  if (from === null) return pointOf(Math.max(0, placeOf(columns, plot.x[1] + 1) - 1));
  const here = nearestPlace(columns, from);
  const there = here + direction;
  return there >= 0 && there < columns.length && inside(columns, there, plot.x)
    ? pointOf(there)
    : pointOf(here);
}

/** The steps between two places, widened to whole ones; null when that is less than two steps. */
export function rangeOfDrag(picked: Picked, from: number, to: number): StepRange | null {
  const { plot } = picked;
  const isByStep = plot.lines.every(({ at: along, step }) => along === step);
  const step = (left: number) =>
    isByStep ? positionAt(plot, left) : (pointAt(picked, left)?.step ?? null);
  const [a, b] = [step(Math.min(from, to)), step(Math.max(from, to))];
  if (a === null || b === null) return null;
  const first = Math.floor(a);
  const last = Math.ceil(b);
  return last - first < 2
    ? null
    : [Math.max(first, Math.floor(plot.x[0])), Math.min(last, Math.ceil(plot.x[1]))];
}

/**
 * `+`: half of the steps that are shown, around the crosshair, else around their middle. `-`: twice as many.
 * Null, which shows all, where that is all there are.
 */
export function zoomed(
  { plot, drawn }: Picked,
  around: number | null,
  key: "+" | "-",
): StepRange | null {
  const [first, last] = plot.x;
  const middle = around ?? (first + last) / 2;
  const reach = Math.max(2, (last - first) * (key === "+" ? 0.5 : 2)) / 2;
  const range: StepRange = [Math.max(0, Math.floor(middle - reach)), Math.ceil(middle + reach)];
  const columns = densest(drawn);
  if (columns === null) return null;
  const newest = at(columns.step, columns.length - 1);
  if (key === "-" && range[0] <= at(columns.step, 0) && range[1] >= newest) return null;
  return [range[0], Math.min(range[1], newest)];
}

type Window = readonly [number, number];

/** The part of the x axis between two places, for a plot whose lines have their steps at different places. */
export function windowOfDrag({ plot }: Pick<Picked, "plot">, from: number, to: number): Window {
  return [positionAt(plot, Math.min(from, to)), positionAt(plot, Math.max(from, to))];
}

/** `+`: half of what is shown, `-`: twice as much; null, which shows all, from there on. */
export function zoomedWindow(
  { plot }: Pick<Picked, "plot">,
  around: number | null,
  key: "+" | "-",
): Window | null {
  const [first, last] = plot.span;
  if (key === "-" && plot.window === null) return null;
  const middle = around ?? (first + last) / 2;
  const reach = ((last - first) * (key === "+" ? 0.5 : 2)) / 2;
  return [middle - reach, middle + reach];
}
