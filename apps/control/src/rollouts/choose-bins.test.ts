import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseBins } from "#rollouts/choose-bins.ts";

test("a reward from 0 to 1 has round bins that end at 0 and 1", () => {
  expect(chooseBins(0, 1, false)).toEqual({ low: 0, high: 1, count: 20 });
});

test("each number of turns is in the middle of its own bin", () => {
  expect(chooseBins(1, 5, true)).toEqual({ low: 0.5, high: 5.5, count: 5 });
  expect(chooseBins(3, 3, true)).toEqual({ low: 2.5, high: 3.5, count: 1 });
});

test("any values lie inside, in at most 30 bins", () => {
  const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(number, number, fc.boolean(), (a, b, isWhole) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)].map((v) =>
        isWhole ? Math.round(v) : v,
      );
      if (low === undefined || high === undefined) return;
      const bins = chooseBins(low, high, isWhole);
      const slack = 1e-6 * Math.max(1, Math.abs(low), Math.abs(high));
      expect(bins.low).toBeLessThanOrEqual(low + slack);
      expect(bins.high).toBeGreaterThanOrEqual(high - slack);
      expect(bins.count).toBeGreaterThan(0);
      expect(bins.count).toBeLessThanOrEqual(30);
    }),
  );
});
