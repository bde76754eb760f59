import { type EndLabel, placeEndLabels } from "#charts/place-end-labels.ts";
import type { PlotLine } from "#charts/plot-line.ts";
import type { Plot } from "#charts/prepare-plot.ts";
import { onAxis } from "#charts/prepare-ticks.ts";
import { at } from "#charts/series-columns.ts";
import type { ColorOf } from "#charts/theme-colors.ts";

/** A bound, with its bad side shaded. */
export type PaintLimit = {
  value: number;
  side: "above" | "below";
  words: string;
  /** A line and its words alone: what lies beyond it is not tinted. */
  isBare?: boolean;
};
export type Paint = {
  plot: Plot;
  width: number;
  height: number;
  colorOf: ColorOf;
  limit: PaintLimit | null;
  /** Steps of crashes, alerts and restarts: dotted lines. */
  eventSteps: readonly number[];
  /** Steps that somebody wrote something at: a flag on a line. */
  noteSteps: readonly number[];
  /** Everything grey: no new data for long. */
  isStale: boolean;
};

/** Paints the series into a box of `width` × `height` CSS pixels. The axes around it belong to the frame. */
export function paintPlot(context: CanvasRenderingContext2D, paint: Paint): void {
  const { plot, width, height } = paint;
  const x = (place: number) =>
    ((place - plot.span[0]) / (plot.span[1] - plot.span[0] || 1)) * width;
  const y = (value: number) =>
    height - ((onAxis(value) - plot.y[0]) / (plot.y[1] - plot.y[0] || 1)) * height;
  context.save();
  // Air on all sides, so that a line or a point on the edge of the axis is drawn whole.
  context.beginPath();
  context.rect(-3, -3, width + 6, height + 6);
  context.clip();
  if (paint.limit !== null) paintLimit(context, paint, paint.limit, y);
  paintEvents(context, paint, x);
  paintNotes(context, paint, x);
  for (const line of plot.lines) {
    const color = paint.colorOf(paint.isStale ? "--ink-4" : line.color);
    if (plot.isStacked) paintLayer(context, line, color, x, y);
    else if (line.isHollow) paintHollow(context, line, color, paint.colorOf("--surface"), x, y);
    else paintLine(context, line, color, x, y);
  }
  context.restore();
  if (!plot.isStacked) paintEnds(context, paint, x, y);
  paintMarks(context, paint, x);
}

type Scale = (value: number) => number;

function trace(
  context: CanvasRenderingContext2D,
  along: Float64Array,
  value: Float64Array,
  length: number,
  x: Scale,
  y: Scale,
): void {
  context.beginPath();
  let isDown = false;
  for (let place = 0; place < length; place += 1) {
    const v = at(value, place);
    if (!Number.isFinite(v) || !Number.isFinite(at(along, place))) {
      isDown = false;
      continue;
    }
    const px = x(at(along, place));
    const py = y(v);
    if (isDown) context.lineTo(px, py);
    else context.moveTo(px, py);
    isDown = true;
  }
}

/** Fills between two edges, one piece per run of steps where both are known. */
function fillBetween(
  context: CanvasRenderingContext2D,
  line: PlotLine,
  low: Float64Array,
  high: Float64Array,
  x: Scale,
  y: Scale,
): void {
  let first = 0;
  const isKnown = (place: number) =>
    Number.isFinite(at(low, place)) && Number.isFinite(at(high, place));
  while (first < line.length) {
    while (first < line.length && !isKnown(first)) first += 1;
    let end = first;
    while (end < line.length && isKnown(end)) end += 1;
    if (end > first) {
      context.beginPath();
      for (let place = first; place < end; place += 1)
        context.lineTo(x(at(line.at, place)), y(at(high, place)));
      for (let place = end - 1; place >= first; place -= 1)
        context.lineTo(x(at(line.at, place)), y(at(low, place)));
      context.closePath();
      context.fill();
    }
    first = end + 1;
  }
}

function paintLine(
  context: CanvasRenderingContext2D,
  line: PlotLine,
  color: string,
  x: Scale,
  y: Scale,
): void {
  context.strokeStyle = color;
  context.fillStyle = color;
  context.lineJoin = "round";
  if (line.low !== null && line.high !== null) {
    context.globalAlpha = 0.13;
    fillBetween(context, line, line.low, line.high, x, y);
    context.globalAlpha = 1;
  }
  if (line.raw !== null) {
    context.globalAlpha = 0.28;
    context.lineWidth = 1;
    trace(context, line.at, line.raw, line.length, x, y);
    context.stroke();
    context.globalAlpha = 1;
  }
  context.lineWidth = 1.6;
  context.setLineDash(line.isDashed ? [4, 2] : []);
  trace(context, line.at, line.value, line.length, x, y);
  context.stroke();
  context.setLineDash([]);
}

function paintLayer(
  context: CanvasRenderingContext2D,
  line: PlotLine,
  color: string,
  x: Scale,
  y: Scale,
): void {
  if (line.low === null || line.high === null) return;
  context.fillStyle = color;
  context.strokeStyle = color;
  context.globalAlpha = 0.38;
  fillBetween(context, line, line.low, line.high, x, y);
  context.globalAlpha = 1;
  context.lineWidth = 1.2;
  trace(context, line.at, line.value, line.length, x, y);
  context.stroke();
}

function paintHollow(
  context: CanvasRenderingContext2D,
  line: PlotLine,
  color: string,
  surface: string,
  x: Scale,
  y: Scale,
): void {
  context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.globalAlpha = 0.7;
  context.setLineDash([2, 2]);
  trace(context, line.at, line.value, line.length, x, y);
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
  context.fillStyle = surface;
  context.lineWidth = 1.6;
  for (let place = 0; place < line.length; place += 1) {
    const value = at(line.value, place);
    if (!Number.isFinite(value)) continue;
    context.beginPath();
    context.arc(x(at(line.at, place)), y(value), 2.2, 0, Math.PI * 2);
    context.fill();
    context.stroke();
  }
}

/** What stands before a line's name, in its colour, CSS pixels. */
const MARK = 9;

/** A dot on the last point of each line, and the names of those that have one. */
function paintEnds(context: CanvasRenderingContext2D, paint: Paint, x: Scale, y: Scale): void {
  context.font = `600 10.5px ${paint.colorOf("--font-ui")}`;
  const labels: (EndLabel & { color: string })[] = [];
  for (const line of paint.plot.lines) {
    let place = line.length - 1;
    while (place >= 0 && !Number.isFinite(at(line.value, place))) place -= 1;
    if (place < 0) continue;
    const step = at(line.step, place);
    if (step < paint.plot.x[0] || step > paint.plot.x[1]) continue;
    const left = x(at(line.at, place));
    const height = y(at(line.value, place));
    // Beyond a clipped axis.
    if (height < -3 || height > paint.height + 3) continue;
    const color = paint.colorOf(paint.isStale ? "--ink-4" : line.color);
    if (line.isHollow !== true) paintDot(context, left, height, color, paint.colorOf("--surface"));
    if (line.end !== undefined)
      labels.push({
        ...{ text: line.end, x: left, y: height, color },
        width: MARK + context.measureText(line.end).width,
      });
  }
  // A rim in the panel's colour keeps the text apart from the lines that it stands on.
  context.strokeStyle = paint.colorOf("--surface");
  context.lineWidth = 3;
  context.lineJoin = "round";
  for (const label of placeEndLabels(labels, paint)) {
    // Letters so small are read in ink; whose line it is, its colour says before them.
    context.strokeText(label.text, label.x + MARK, label.y);
    context.fillStyle = label.color;
    context.fillRect(label.x, label.y - 7, MARK - 4, 7);
    context.fillStyle = paint.colorOf("--ink-2");
    context.fillText(label.text, label.x + MARK, label.y);
  }
}

function paintDot(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  fill: string,
  rim: string,
): void {
  context.beginPath();
  context.arc(x, y, 2.5, 0, Math.PI * 2);
  context.fillStyle = fill;
  context.fill();
  context.strokeStyle = rim;
  context.lineWidth = 1;
  context.stroke();
}

function paintLimit(
  context: CanvasRenderingContext2D,
  paint: Paint,
  limit: PaintLimit,
  y: Scale,
): void {
  const edge = y(paint.plot.isLog ? Math.log10(limit.value) : limit.value);
  if (edge < 0 || edge > paint.height) return;
  if (!limit.isBare) {
    context.fillStyle = paint.colorOf("--warn-soft");
    context.globalAlpha = 0.7;
    if (limit.side === "above") context.fillRect(0, 0, paint.width, edge);
    else context.fillRect(0, edge, paint.width, paint.height - edge);
    context.globalAlpha = 1;
  }
  context.strokeStyle = paint.colorOf("--warn-mark");
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(0, edge);
  context.lineTo(paint.width, edge);
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = paint.colorOf("--warn");
  context.font = `10.5px ${paint.colorOf("--font-ui")}`;
  const roomAbove = edge > 14;
  context.fillText(limit.words, 4, roomAbove ? edge - 4 : edge + 11);
}

function paintEvents(context: CanvasRenderingContext2D, paint: Paint, x: Scale): void {
  context.strokeStyle = paint.colorOf("--ink-4");
  context.lineWidth = 1;
  context.setLineDash([1.5, 3]);
  for (const step of paint.eventSteps) {
    if (step < paint.plot.x[0] || step > paint.plot.x[1]) continue;
    context.beginPath();
    const left = x(paint.plot.place(step));
    context.moveTo(left, 0);
    context.lineTo(left, paint.height);
    context.stroke();
  }
  context.setLineDash([]);
}

/** A thin line with a flag at its top. */
function paintNotes(context: CanvasRenderingContext2D, paint: Paint, x: Scale): void {
  const color = paint.colorOf("--accent");
  context.strokeStyle = color;
  context.fillStyle = color;
  context.lineWidth = 1;
  for (const step of paint.noteSteps) {
    if (step < paint.plot.x[0] || step > paint.plot.x[1]) continue;
    const left = x(paint.plot.place(step));
    context.globalAlpha = 0.55;
    context.beginPath();
    context.moveTo(left, 0);
    context.lineTo(left, paint.height);
    context.stroke();
    context.globalAlpha = 1;
    context.beginPath();
    context.moveTo(left, -3);
    context.lineTo(left + 6, 0);
    context.lineTo(left, 3.5);
    context.closePath();
    context.fill();
  }
}

/** ✕ where a value was NaN, ▲ where it was infinite, at the top edge. */
function paintMarks(context: CanvasRenderingContext2D, paint: Paint, x: Scale): void {
  const color = paint.colorOf("--bad-mark");
  for (const { step, flag } of paint.plot.marks) {
    const px = x(paint.plot.place(step));
    context.beginPath();
    if (flag === 1) {
      context.moveTo(px - 3, 2);
      context.lineTo(px + 3, 8);
      context.moveTo(px + 3, 2);
      context.lineTo(px - 3, 8);
      context.strokeStyle = color;
      context.lineWidth = 1.6;
      context.stroke();
    } else {
      context.moveTo(px, 2);
      context.lineTo(px + 4, 9);
      context.lineTo(px - 4, 9);
      context.closePath();
      context.fillStyle = color;
      context.fill();
    }
  }
}
