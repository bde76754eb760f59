import type { Swimlanes } from "#steps/prepare-swimlanes.ts";
import type { Brush } from "#steps/use-canvas.ts";
import { formatDuration } from "#ui/format-duration.ts";

const SIDE = 14;
const TOP = 8;
const FOOT = 20;

/** Height of one lane and the lane under a y, so that pointer and paint agree. */
export function laneHeight(count: number, height: number): number {
  return Math.min(12, (height - TOP - FOOT) / Math.max(1, count));
}
export function laneAt(count: number, height: number, y: number): number | null {
  const at = Math.floor((y - TOP) / laneHeight(count, height));
  return at >= 0 && at < count ? at : null;
}
export function laneTop(count: number, height: number, at: number): number {
  return TOP + at * laneHeight(count, height);
}

export function drawSwimlanes(
  { context, width, height, color }: Brush,
  swimlanes: Swimlanes,
  hot: number | null,
): void {
  const { lanes, spanS, ticksS } = swimlanes;
  const scale = (width - SIDE * 2) / (spanS || 1);
  const x = (seconds: number) => SIDE + seconds * scale;
  context.font = `10.5px ${getComputedStyle(context.canvas).fontFamily}`;
  context.lineWidth = 1;
  context.textAlign = "center";
  for (const tick of ticksS) {
    context.fillStyle = color("--grid");
    context.fillRect(Math.round(x(tick)), TOP, 1, height - TOP - FOOT);
    context.fillStyle = color("--ink-3");
    context.textAlign = tick === 0 ? "left" : x(tick) > width - 24 ? "right" : "center";
    context.fillText(formatDuration(tick), x(tick), height - 5);
  }
  const step = laneHeight(lanes.length, height);
  const bar = Math.max(Math.min(2, step), Math.min(8, step * 0.78));
  const hatch = hatching(context, color("--ink-4"));
  for (const [at, lane] of lanes.entries()) {
    const y = TOP + at * step + (step - bar) / 2;
    if (at === hot) {
      context.fillStyle = color("--accent-soft");
      context.fillRect(0, TOP + at * step, width, step);
    }
    for (const { part, startS, endS } of lane.parts) {
      const left = x(startS);
      const long = Math.max(1, (endS - startS) * scale - 0.5);
      if (part === "queue") context.fillStyle = color("--ph-queue");
      else if (part === "env") context.fillStyle = hatch;
      else if (part === "verify") context.fillStyle = color("--ink-2");
      else context.fillStyle = color("--ink-4");
      if (part === "generate") fillVersions(context, lane.versions, left, y, long, bar, color);
      else if (part === "tool") context.fillRect(left, y + bar / 2 - 0.75, long, 1.5);
      else if (part === "wait") dots(context, { left, long, y: y + bar / 2 });
      else context.fillRect(left, y, long, bar);
    }
    if (lane.reward === null) cross(context, x(lane.endS) + 4, y + bar / 2, color("--bad-mark"));
  }
}

/** The sampling part in the colours of its first and last weights; what lies between is not told. */
function fillVersions(
  context: CanvasRenderingContext2D,
  versions: readonly [number, number] | null,
  left: number,
  y: number,
  long: number,
  bar: number,
  color: Brush["color"],
): void {
  const [first, last] = versions ?? [null, null];
  context.fillStyle = first === null ? color("--ph-think") : color(versionVariable(first));
  context.fillRect(left, y, long, bar);
  if (last === null || last === first) return;
  context.fillStyle = color(versionVariable(last));
  context.fillRect(left + long / 2, y, long / 2, bar);
}

/** Along a waiting part, in the brush's colour. */
function dots(
  context: CanvasRenderingContext2D,
  { left, long, y }: { left: number; long: number; y: number },
): void {
  for (let x = left; x < left + long; x += 4) context.fillRect(x, y - 0.5, 1, 1);
}

export function versionVariable(version: number): string {
  return `--v${((version % 4) + 4) % 4}`;
}

function cross(context: CanvasRenderingContext2D, x: number, y: number, color: string): void {
  context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x - 2.2, y - 2.2);
  context.lineTo(x + 2.2, y + 2.2);
  context.moveTo(x + 2.2, y - 2.2);
  context.lineTo(x - 2.2, y + 2.2);
  context.stroke();
}

export function hatching(context: CanvasRenderingContext2D, color: string): CanvasPattern | string {
  const tile = document.createElement("canvas");
  tile.width = 4;
  tile.height = 4;
  const brush = tile.getContext("2d");
  if (!brush) return color;
  brush.strokeStyle = color;
  brush.lineWidth = 1;
  brush.beginPath();
  brush.moveTo(-1, 1);
  brush.lineTo(1, -1);
  brush.moveTo(0, 4);
  brush.lineTo(4, 0);
  brush.moveTo(3, 5);
  brush.lineTo(5, 3);
  brush.stroke();
  return context.createPattern(tile, "repeat") ?? color;
}
