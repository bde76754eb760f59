import { LANES, type Lane, type Scatter, type ScatterPoint } from "#steps/prepare-scatter.ts";
import type { Brush } from "#steps/use-canvas.ts";
import { formatCount } from "#ui/format-number.ts";

export type PlacedPoint = ScatterPoint & { px: number; py: number };

const LEFT = 66;
const RIGHT = 14;
const TOP = 10;
const FOOT = 32;
const GAP = 8;
const WORDS: Record<Lane, string> = {
  solved: "Solved",
  failed: "Failed",
  "no reward": "No reward",
};

/** Where each point lies, CSS pixels. Lanes share the height evenly. */
export function placePoints(scatter: Scatter, width: number, height: number): PlacedPoint[] {
  return scatter.points.map((point) => {
    const band = laneBox(point.lane, height);
    return {
      ...point,
      px: LEFT + point.x * (width - LEFT - RIGHT),
      py: band.top + 7 + point.y * (band.height - 14),
    };
  });
}

function laneBox(lane: Lane, height: number): { top: number; height: number } {
  const each = (height - TOP - FOOT - GAP * (LANES.length - 1)) / LANES.length;
  return { top: TOP + LANES.indexOf(lane) * (each + GAP), height: each };
}

export function drawScatter({ context, width, height, color }: Brush, scatter: Scatter): void {
  const plot = width - LEFT - RIGHT;
  const font = getComputedStyle(context.canvas).fontFamily;
  context.font = `10.5px ${font}`;
  for (const lane of LANES) {
    const band = laneBox(lane, height);
    context.fillStyle = color("--sunken");
    context.beginPath();
    context.roundRect(LEFT, band.top, plot, band.height, 4);
    context.fill();
    context.textAlign = "right";
    context.fillStyle = color("--ink-2");
    context.fillText(WORDS[lane], LEFT - 8, band.top + band.height / 2 - 2);
    context.fillStyle = color("--ink-3");
    context.fillText(formatCount(scatter.counts[lane]), LEFT - 8, band.top + band.height / 2 + 12);
  }
  drawAxis({ context, width, height, color }, scatter);
  for (const point of placePoints(scatter, width, height)) drawMark(context, point, color);
}

function drawAxis({ context, width, height, color }: Brush, scatter: Scatter): void {
  const plot = width - LEFT - RIGHT;
  const foot = height - FOOT;
  context.lineWidth = 1;
  context.strokeStyle = color("--line");
  context.fillStyle = color("--ink-3");
  context.textAlign = "center";
  for (const tick of scatter.ticks) {
    const x = Math.round(LEFT + tick.x * plot) + 0.5;
    line(context, x, TOP, x, foot);
    context.fillText(formatCount(tick.tokens), x, foot + 14);
  }
  if (scatter.capX !== null) {
    const x = LEFT + scatter.capX * plot;
    context.strokeStyle = color("--warn-mark");
    context.setLineDash([3, 3]);
    line(context, x, TOP, x, foot);
    context.setLineDash([]);
  }
  context.textAlign = "right";
  context.fillText(
    scatter.log ? "sampled tokens, log" : "sampled tokens",
    width - RIGHT,
    height - 4,
  );
}

function drawMark(
  context: CanvasRenderingContext2D,
  point: PlacedPoint,
  color: Brush["color"],
): void {
  const { px, py } = point;
  context.globalAlpha = point.mark === "truncated" ? 1 : 0.7;
  if (point.mark === "no reward") {
    context.strokeStyle = color("--bad-mark");
    context.lineWidth = 1.4;
    line(context, px - 3, py - 3, px + 3, py + 3);
    line(context, px + 3, py - 3, px - 3, py + 3);
  } else {
    context.beginPath();
    if (point.mark === "truncated") {
      context.fillStyle = color("--c2");
      context.moveTo(px, py - 4);
      context.lineTo(px + 4, py + 3.2);
      context.lineTo(px - 4, py + 3.2);
    } else {
      context.fillStyle = color("--c1");
      context.arc(px, py, 2.9, 0, Math.PI * 2);
    }
    context.fill();
  }
  context.globalAlpha = 1;
}

/** A ring around the point under the pointer. */
export function drawRing(
  { context, color }: Pick<Brush, "context" | "color">,
  point: PlacedPoint,
): void {
  context.strokeStyle = color("--accent");
  context.lineWidth = 2;
  context.beginPath();
  context.arc(point.px, point.py, 6, 0, Math.PI * 2);
  context.stroke();
}

function line(
  context: CanvasRenderingContext2D,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
