import { FORK_WORDS } from "#sessions/fork-words.ts";
import { formatTick, prepareBars, tokenTicks } from "#sessions/prepare-bars.ts";
import type { PreparedTree, TreeRow } from "#sessions/prepare-tree.ts";
import { hatching, versionVariable } from "#steps/draw-swimlanes.ts";
import type { Brush } from "#steps/use-canvas.ts";

export const ROW_HEIGHT = 52;
export const AXIS_HEIGHT = 26;
/** Middle of the bars within a row. */
const MIDDLE = 30;
const RIGHT = 22;

/** Where tokens stand in the drawing, CSS pixels. */
export interface PathScale {
  left: number;
  pixelsPerToken: number;
}

export function pathScale(width: number, longest: number): PathScale {
  const left = width < 560 ? 108 : 150;
  return { left, pixelsPerToken: Math.max(1, width - left - RIGHT) / Math.max(1, longest) };
}

/** Paints the rows that are in view, their links and the axis. */
export function drawPaths(
  brush: Brush,
  { tree, scrollTop, chosen }: { tree: PreparedTree; scrollTop: number; chosen: number | null },
): void {
  const { context, width, height } = brush;
  const scale = pathScale(width, tree.longest);
  const floor = height - AXIS_HEIGHT;
  drawAxis(brush, tree.longest, scale, floor);
  context.save();
  context.beginPath();
  context.rect(0, 0, width, floor);
  context.clip();
  context.translate(0, -scrollTop);
  const first = Math.floor(scrollTop / ROW_HEIGHT);
  const last = Math.ceil((scrollTop + floor) / ROW_HEIGHT);
  if (chosen !== null) drawChosen(brush, chosen);
  for (const row of tree.rows)
    if (row.parent !== null && row.parent <= last && row.index >= first)
      drawLink(brush, row, scale, row.index === chosen);
  const hatch = hatching(context, brush.color("--ink-4"));
  for (const row of tree.rows.slice(first, last + 1)) drawRow(brush, row, scale, hatch);
  context.restore();
}

const middleOf = (index: number) => index * ROW_HEIGHT + MIDDLE;

function drawAxis(
  { context, width, color }: Brush,
  longest: number,
  { left, pixelsPerToken }: PathScale,
  floor: number,
): void {
  context.font = `10.5px ${getComputedStyle(context.canvas).fontFamily}`;
  for (const tick of tokenTicks(longest, width < 560 ? 3 : 6)) {
    const x = Math.round(left + tick * pixelsPerToken) + 0.5;
    context.fillStyle = color("--grid");
    context.fillRect(x - 0.5, 8, 1, floor - 8);
    context.fillStyle = color("--ink-3");
    context.textAlign = x > width - 20 ? "right" : "center";
    context.fillText(formatTick(tick), x, floor + 16);
  }
}

function drawChosen({ context, width, color }: Brush, index: number): void {
  context.fillStyle = color("--accent-soft");
  context.globalAlpha = 0.6;
  context.beginPath();
  context.roundRect(6, index * ROW_HEIGHT + 2, width - 12, ROW_HEIGHT - 2, 6);
  context.fill();
  context.globalAlpha = 1;
}

function drawLink({ context, color }: Brush, row: TreeRow, scale: PathScale, isOn: boolean): void {
  const x = scale.left + row.start * scale.pixelsPerToken;
  const top = middleOf(row.parent ?? 0) + 8;
  const isUnplanned = row.fork !== null && !FORK_WORDS[row.fork.reason].planned;
  const ink = color(isUnplanned ? "--warn-mark" : "--ink-4");
  context.strokeStyle = ink;
  context.fillStyle = ink;
  context.lineWidth = isOn ? 2 : 1.5;
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, middleOf(row.index) - 4);
  context.quadraticCurveTo(x, middleOf(row.index), x + 4, middleOf(row.index));
  context.stroke();
  context.beginPath();
  context.arc(x, top, 3, 0, Math.PI * 2);
  context.fill();
}

function drawRow(brush: Brush, row: TreeRow, scale: PathScale, hatch: CanvasPattern | string) {
  const { context, color } = brush;
  const y = middleOf(row.index);
  if (row.isRoot) {
    context.strokeStyle = color("--ink-3");
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(scale.left - 8, y, 3.5, 0, Math.PI * 2);
    context.stroke();
  }
  for (const bar of prepareBars(row.parts, scale.pixelsPerToken)) {
    const x = scale.left + bar.x;
    const gap = bar.width > 3 ? 1 : 0;
    context.beginPath();
    if (bar.kind === "given") {
      context.roundRect(x, y - 6, Math.max(0.5, bar.width - gap), 12, Math.min(2, bar.width / 2));
      context.fillStyle = color("--sunken");
      context.fill();
      context.fillStyle = hatch;
      context.fill();
      context.strokeStyle = color("--line-2");
      context.lineWidth = 0.8;
      if (bar.width > 2) context.stroke();
      continue;
    }
    const ink = color(bar.version === null ? "--ink-3" : versionVariable(bar.version));
    context.roundRect(x, y - 8, bar.width - gap, 16, Math.min(2, bar.width / 2));
    if (bar.trained) {
      context.fillStyle = ink;
      context.fill();
    } else {
      context.fillStyle = color("--surface");
      context.fill();
      context.strokeStyle = ink;
      context.lineWidth = 1.5;
      context.setLineDash([3, 2]);
      context.stroke();
      context.setLineDash([]);
    }
  }
}
