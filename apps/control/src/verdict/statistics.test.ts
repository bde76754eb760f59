import { expect, test } from "vitest";
import { mean, median, robustZ, slopeOf } from "#verdict/statistics.ts";

test("means and medians of the largest numbers are numbers", () => {
  expect(mean([1e308, 1e308])).toBe(1e308);
  expect(mean([-1e308, -1e308, 1e308])).toBeCloseTo(-1e308 / 3, -300);
  expect(median([1e308, 1.5e308])).toBe(1.25e308);
});

test("over values that are all alike, noise is near and a spike is far", () => {
  const zeros = Array(20).fill(0);
  expect(robustZ(5, zeros, { share: 0.1, floor: 0.005 })).toBe(1000);
  expect(robustZ(0.001, zeros, { share: 0.1, floor: 0.005 })).toBeCloseTo(0.2);
  expect(robustZ(900, Array(20).fill(1), { share: 0.1, floor: 0 })).toBe(8990);
  expect(robustZ(1, Array(20).fill(1), { share: 0, floor: 0 })).toBe(0);
});

test("a slope is that of the line through the points", () => {
  expect(
    slopeOf([
      [0, 1],
      [1, 3],
      [2, 5],
    ]),
  ).toBeCloseTo(2);
  expect(
    slopeOf([
      [1, 1],
      [1, 2],
    ]),
  ).toBeNaN();
});
