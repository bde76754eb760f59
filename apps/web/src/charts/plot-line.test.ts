import { expect, test } from "vitest";
import { usualGap } from "#charts/plot-line.ts";
import { createColumns, foldPoint } from "#charts/series-columns.ts";

const gapOf = (steps: readonly number[]) => {
  const columns = createColumns();
  for (const step of steps) foldPoint(columns, 1, { step, value: 1, flag: 0, wallMs: 0 });
  return usualGap(columns);
};
const upTo = (last: number, every = 1) => Array.from({ length: last }, (_, at) => (at + 1) * every);

test("a series of each step misses the steps that were never logged", () => {
  const logged = upTo(80).filter((step) => step < 51 || step > 59);
  expect(gapOf(logged)).toBeLessThan(10);
  expect(gapOf(logged)).toBeGreaterThan(1);
});

test("an evaluation of each tenth step is whole, and one that failed is a gap", () => {
  expect(gapOf(upTo(14, 10))).toBeGreaterThan(10);
  expect(gapOf(upTo(14, 10).filter((step) => step !== 60))).toBeLessThan(20);
});

test("a series without a rhythm is joined but over far longer ways than it ever goes", () => {
  const wild = [1, 3, 4, 9, 11, 12, 19, 20, 26, 31, 33, 40];
  expect(gapOf(wild)).toBeGreaterThan(7);
  expect(gapOf([1, 50])).toBe(Number.POSITIVE_INFINITY);
});
