import type { ColorOf } from "#charts/theme-colors.ts";

/** Where the crosshair meets a line; CSS pixels of the plot box. */
export type CrosshairDot = { color: string; x: number; y: number };

const DOT_PX = 3.5;
const RING_PX = 1.5;

/** A hair line at `x` and a dot on each line that has a point there. */
export function paintCrosshair(
  context: CanvasRenderingContext2D,
  {
    x,
    height,
    dots,
    colorOf,
  }: { x: number; height: number; dots: readonly CrosshairDot[]; colorOf: ColorOf },
): void {
  context.fillStyle = colorOf("--ink-3");
  context.fillRect(Math.round(x), 0, 1, height);
  for (const dot of dots) {
    for (const [radius, color] of [
      [DOT_PX + RING_PX, "--surface"],
      [DOT_PX, dot.color],
    ] as const) {
      context.fillStyle = colorOf(color);
      context.beginPath();
      context.arc(dot.x, dot.y, radius, 0, Math.PI * 2);
      context.fill();
    }
  }
}
