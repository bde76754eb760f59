import type { Heat } from "#charts/prepare-heat.ts";
import { pixelsOf } from "#charts/prepare-plot.ts";

/** The faintest and the strongest ink of a cell. */
const INK = [0.1, 0.85] as const;

/** Paints the cells into a box of `width` × `height` CSS pixels: the larger the share, the darker. */
export function paintHeat(
  context: CanvasRenderingContext2D,
  { plot, cells }: Heat,
  { width, height }: { width: number; height: number },
  color: string,
): void {
  const toPixels = pixelsOf(plot);
  const x = (step: number) => toPixels.x(plot.place(step));
  const { y } = toPixels;
  context.save();
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  context.fillStyle = color;
  for (const cell of cells) {
    const left = x(cell.from);
    const right = x(cell.to);
    if (!(right >= 0 && left <= width)) continue;
    const top = y(cell.high);
    // The eye tells faint shares apart more easily than strong ones.
    context.globalAlpha = INK[0] + (INK[1] - INK[0]) * Math.sqrt(cell.share);
    context.fillRect(left, top, Math.max(1, right - left), Math.max(1, y(cell.low) - top));
  }
  context.restore();
}
