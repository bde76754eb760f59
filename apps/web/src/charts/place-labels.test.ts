import { expect, test } from "vitest";
import { END_LABEL_LINE, placeEndLabels, placeXLabels } from "#charts/place-labels.ts";

const label = (text: string, y: number) => ({ text, y, color: "--c1" });

test("names of lines that end together stand one below the other, also at the edges", () => {
  for (const y of [-5, 0, 50, 99, 140]) {
    const heights = placeEndLabels([label("a", y), label("b", y), label("c", y)], 100).map(
      (one) => one.y,
    );
    for (const [at, height] of heights.entries()) {
      expect(height).toBeGreaterThanOrEqual(0);
      expect(height).toBeLessThanOrEqual(100);
      if (at > 0) expect(height - (heights[at - 1] ?? 0)).toBeGreaterThanOrEqual(END_LABEL_LINE);
    }
  }
});

test("a name that has room stands at the height of its line", () => {
  expect(placeEndLabels([label("low", 80), label("high", 20)], 100)).toEqual([
    label("high", 20),
    label("low", 80),
  ]);
});

test("labels of the x axis never leave the chart, and the ends go before those between", () => {
  const ticks = [40, 60, 120, 196].map((x, at) => ({ tick: at, text: `${at}000`, x }));
  const placed = placeXLabels(ticks, { left: 0, width: 200 }, (text) => text.length * 7);
  expect(placed.map(({ text }) => text)).toEqual(["0000", "2000", "3000"]);
  expect(placed.at(-1)?.left).toBe(172);
});
