import type { MeasureText } from "#charts/text-width.ts";

/** A text that begins at `left`, CSS pixels of the whole chart. */
export type XLabel = { tick: number; text: string; left: number };

/** Air between two labels of an axis. */
const APART = 8;

/**
 * Labels under an x axis, each centred below its tick as far as the chart goes. Of labels that would touch, the first and the last
 * stay, and of the others those that come first.
 */
export function placeXLabels(
  ticks: readonly { tick: number; text: string; x: number }[],
  chart: { left: number; width: number },
  measure: MeasureText,
): XLabel[] {
  const placed = ticks.map(({ tick, text, x }) => {
    const width = measure(text);
    const left = Math.max(chart.left, Math.min(x - width / 2, chart.width - width));
    return { tick, text, left, right: left + width };
  });
  const kept: typeof placed = [];
  const touches = (one: { left: number; right: number }) =>
    kept.some((other) => one.left < other.right + APART && other.left < one.right + APART);
  for (const one of [placed[0], placed.at(-1), ...placed.slice(1, -1)])
    if (one !== undefined && !kept.includes(one) && !touches(one)) kept.push(one);
  return kept.sort((a, b) => a.left - b.left).map(({ tick, text, left }) => ({ tick, text, left }));
}

/** The name of a line in the margin right of the plot; `y` is the text's middle. */
export type EndLabel = { text: string; color: string; y: number };

export const END_LABEL_LINE = 12;

/** Names beside the ends of their lines: as near as can be, in the same order, none over another, all within `height`. */
export function placeEndLabels(labels: readonly EndLabel[], height: number): EndLabel[] {
  const half = END_LABEL_LINE / 2;
  const placed = [...labels].sort((a, b) => a.y - b.y).map((label) => ({ ...label }));
  let above = Number.NEGATIVE_INFINITY;
  for (const label of placed) {
    label.y = Math.max(label.y, half, above + END_LABEL_LINE);
    above = label.y;
  }
  let below = Number.POSITIVE_INFINITY;
  for (const label of placed.toReversed()) {
    label.y = Math.min(label.y, height - half, below - END_LABEL_LINE);
    below = label.y;
  }
  return placed;
}
