import { type ChartSpan, SPAN_COLOR, visibleSpan } from "#charts/chart-span.ts";
import type { PlotLine } from "#charts/plot-line.ts";
import type { PlotMark } from "#charts/plot-marks.ts";
import { lastShown, type Plot, pixelsOf } from "#charts/prepare-plot.ts";
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
  /** Stretches of steps: shaded, with a bar at the top. */
  spans: readonly ChartSpan[];
  /** Everything grey: no new data for long. */
  isStale: boolean;
};

/** Paints the series into a box of `width` × `height` CSS pixels. The axes around it belong to the frame. */
export function paintPlot(context: CanvasRenderingContext2D, paint: Paint): void {
  const { plot, width, height } = paint;
  const { x, y } = pixelsOf(plot);
  context.save();
  // Air on all sides, so that a line or a point on the edge of the axis is drawn whole.
  context.beginPath();
  context.rect(-3, -3, width + 6, height + 6);
  context.clip();
  paintSpans(context, paint, x);
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

/** A point that no other is joined to. */
const LONE_PX = 1.3;

/** The way along `value`, which ends where a value is missing or steps between two points are. */
function trace(
  context: CanvasRenderingContext2D,
  line: PlotLine,
  value: Float64Array,
  x: Scale,
  y: Scale,
): void {
  context.beginPath();
  const isThere = (place: number) =>
    place < line.length && Number.isFinite(at(value, place)) && Number.isFinite(at(line.at, place));
  const isJoined = (place: number) =>
    isThere(place) && at(line.step, place) - at(line.step, place - 1) <= line.maxGap;
  let isDown = false;
  for (let place = 0; place < line.length; place += 1) {
    if (!isThere(place)) {
      isDown = false;
      continue;
    }
    const px = x(at(line.at, place));
    const py = y(at(value, place));
    if (isDown && isJoined(place)) context.lineTo(px, py);
    else if (isJoined(place + 1)) context.moveTo(px, py);
    else {
      context.moveTo(px + LONE_PX, py);
      context.arc(px, py, LONE_PX, 0, Math.PI * 2);
    }
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
  const isJoined = (place: number) =>
    isKnown(place) && at(line.step, place) - at(line.step, place - 1) <= line.maxGap;
  while (first < line.length) {
    while (first < line.length && !isKnown(first)) first += 1;
    let end = first + 1;
    while (end < line.length && isJoined(end)) end += 1;
    end = Math.min(end, line.length);
    if (end > first) {
      context.beginPath();
      for (let place = first; place < end; place += 1)
        context.lineTo(x(at(line.at, place)), y(at(high, place)));
      for (let place = end - 1; place >= first; place -= 1)
        context.lineTo(x(at(line.at, place)), y(at(low, place)));
      context.closePath();
      context.fill();
    }
    first = end;
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
    trace(context, line, line.raw, x, y);
    context.stroke();
    context.globalAlpha = 1;
  }
  context.lineWidth = 1.6;
  context.setLineDash(line.isDashed ? [4, 2] : []);
  trace(context, line, line.value, x, y);
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
  trace(context, line, line.value, x, y);
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
  trace(context, line, line.value, x, y);
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

/** A dot on the last point of each line. */
function paintEnds(context: CanvasRenderingContext2D, paint: Paint, x: Scale, y: Scale): void {
  for (const line of paint.plot.lines) {
    const place = line.isHollow === true ? -1 : lastShown(line, paint.plot);
    if (place < 0) continue;
    const height = y(at(line.value, place));
    // Beyond a clipped axis.
    if (height < -3 || height > paint.height + 3) continue;
    const color = paint.colorOf(paint.isStale ? "--ink-4" : line.color);
    paintDot(context, x(at(line.at, place)), height, color, paint.colorOf("--surface"));
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
  if (!(edge >= 0 && edge <= paint.height)) return;
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

const SPAN_BAR_PX = 2;

function paintSpans(context: CanvasRenderingContext2D, paint: Paint, x: Scale): void {
  for (const span of paint.spans) {
    const steps = visibleSpan(span, paint.plot.x);
    if (steps === null) continue;
    const [left, right] = steps.map((step) => x(paint.plot.place(step))) as [number, number];
    if (!Number.isFinite(left) || !Number.isFinite(right)) continue;
    const width = Math.max(SPAN_BAR_PX, right - left);
    const { fill, mark } = SPAN_COLOR[span.severity];
    context.fillStyle = paint.colorOf(fill);
    context.fillRect(left, 0, width, paint.height);
    context.fillStyle = paint.colorOf(mark);
    context.fillRect(left, -3, width, SPAN_BAR_PX);
  }
}

/** Signs at the edge of the plot for what a line cannot show; those that would touch are one, with a bar as long as they are. */
function paintMarks(context: CanvasRenderingContext2D, paint: Paint, x: Scale): void {
  for (const mark of paint.plot.marks) {
    const [left, right] = [x(mark.from), x(mark.to)];
    const color = paint.colorOf(mark.color);
    context.fillStyle = color;
    context.strokeStyle = color;
    const edge = mark.kind === "below" ? paint.height - 1 : 1;
    if (right > left) context.fillRect(left, edge - 0.75, right - left, 1.5);
    paintSign(context, mark.kind, (left + right) / 2, paint.height);
  }
}

function paintSign(
  context: CanvasRenderingContext2D,
  kind: PlotMark["kind"],
  px: number,
  height: number,
): void {
  context.beginPath();
  if (kind === "nan") {
    context.moveTo(px - 3, 2);
    context.lineTo(px + 3, 8);
    context.moveTo(px + 3, 2);
    context.lineTo(px - 3, 8);
    context.lineWidth = 1.6;
    context.stroke();
    return;
  }
  const [tip, foot] = kind === "below" ? [height, height - 6] : [2, 8];
  context.moveTo(px, tip);
  context.lineTo(px + 3.5, foot);
  context.lineTo(px - 3.5, foot);
  context.closePath();
  context.fill();
}
