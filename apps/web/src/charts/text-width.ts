/** How wide a label of an axis is, CSS pixels. */
export type MeasureText = (text: string) => number;

const WIDE = /[%mMGW@]/;

/** No label is wider than this says: what counts where there is no browser to ask. */
export const widthAtMost: MeasureText = (text) =>
  [...text].reduce((sum, letter) => sum + (WIDE.test(letter) ? 10.5 : 7), 0);

const FONT_PX = 10.5;
let context: CanvasRenderingContext2D | null = null;
const known = new Map<string, number>();

/** The page's font is asked once: each time costs a pass over its styles. */
function createContext(): CanvasRenderingContext2D | null {
  const made = document.createElement("canvas").getContext("2d");
  if (made !== null) made.font = `${FONT_PX}px ${getComputedStyle(document.body).fontFamily}`;
  return made;
}

/** The width in the font of the axes. Digits count as zeros: the page prints all of them equally wide. */
export const axisTextWidth: MeasureText = (text) => {
  const shape = text.replace(/\d/g, "0");
  const before = known.get(shape);
  if (before !== undefined) return before;
  context ??= createContext();
  if (context === null) return widthAtMost(text);
  const width = Math.ceil(context.measureText(shape).width) + 1;
  // Before the page's own font is there the browser measures another.
  if (document.fonts.status === "loaded") known.set(shape, width);
  return width;
};
