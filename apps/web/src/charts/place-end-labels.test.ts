import { expect, test } from "vitest";
import { placeEndLabels } from "#charts/place-end-labels.ts";

const box = { width: 200, height: 100 };
const label = (text: string, x: number, y: number) => ({ text, x, y, width: 20 });
const place = (...labels: ReturnType<typeof label>[]) => placeEndLabels(labels, box);

test("a line that ends early has its name to the right, one that goes to the edge above it", () => {
  const [early, late] = place(label("07", 100, 50), label("06", 200, 50));
  expect(early).toMatchObject({ x: 106, y: 53.5 });
  expect(late?.x).toBe(177);
  expect(late?.y).toBeLessThan(50);
});

test("names of lines that end together do not lie on each other, also at the lower edge", () => {
  for (const y of [2, 50, 99]) {
    const placed = place(label("a", 200, y), label("b", 200, y), label("c", 200, y));
    const heights = placed.map((one) => one.y).sort((a, b) => a - b);
    for (const [at, height] of heights.entries()) {
      expect(height).toBeGreaterThan(0);
      expect(height).toBeLessThanOrEqual(100);
      if (at > 0) expect(height - (heights[at - 1] ?? 0)).toBeGreaterThanOrEqual(11);
    }
  }
});

test("the order is that of the lines, not of their heights", () => {
  const [first, second] = place(label("low", 50, 90), label("high", 50, 10));
  expect([first?.text, second?.text]).toEqual(["low", "high"]);
  expect(first?.y).toBeGreaterThan(second?.y ?? 0);
});
