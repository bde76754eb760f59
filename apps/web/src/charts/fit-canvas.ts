/** Air around a plot, CSS pixels, for lines and points on its edge. */
export const AIR = 3;

/** A clear canvas as sharp as the screen, whose origin is the corner of the plot box; null while there is no room. */
export function fitCanvas(
  canvas: HTMLCanvasElement | null,
  box: { width: number; height: number },
): CanvasRenderingContext2D | null {
  const context = canvas?.getContext("2d");
  if (!canvas || !context || box.width === 0) return null;
  const ratio = window.devicePixelRatio || 1;
  const wide = Math.round((box.width + AIR * 2) * ratio);
  const high = Math.round((box.height + AIR * 2) * ratio);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, wide, high);
  context.setTransform(ratio, 0, 0, ratio, AIR * ratio, AIR * ratio);
  return context;
}
