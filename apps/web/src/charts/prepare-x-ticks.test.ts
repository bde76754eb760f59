import fc from "fast-check";
import { expect, test } from "vitest";
import { prepareXTicks } from "#charts/prepare-x-ticks.ts";

test("times are round in the units that people count in", () => {
  expect(prepareXTicks("relative", [0, 3_000], 300)).toEqual({
    ticks: [0, 900, 1_800, 2_700],
    labels: ["0 m", "15 m", "30 m", "45 m"],
  });
  expect(prepareXTicks("relative", [0, 40_000], 200).labels).toEqual(["0 h", "6 h"]);
});

test("a clock is round in the time of this computer", () => {
  const noon = new Date(2026, 0, 5, 11, 58).getTime();
  const { ticks, labels } = prepareXTicks("wall", [noon, noon + 3_600_000], 300);
  expect(labels).toEqual(["12:00", "12:15", "12:30", "12:45"]);
  expect(new Date(ticks[0] ?? 0).getMinutes()).toBe(0);
  const days = prepareXTicks("wall", [noon, noon + 4 * 86_400_000], 300);
  expect(days.labels[0]).toBe("01-06");
});

test("tokens are printed in one unit", () => {
  expect(prepareXTicks("tokens", [0, 2_000_000], 300).labels).toEqual([
    "0",
    "0.5M",
    "1.0M",
    "1.5M",
    "2.0M",
  ]);
  expect(prepareXTicks("tokens", [0, 500], 130).labels).toEqual(["0", "250", "500"]);
});

test("ticks lie on the axis, in order, and never too many", () => {
  const number = fc.maxSafeNat().map((n) => n % 1e12);
  const mode = fc.constantFrom("wall", "relative", "tokens" as const);
  fc.assert(
    fc.property(mode, number, number, (axis, a, b) => {
      const [first, last] = [Math.min(a, b), Math.max(a, b)];
      const { ticks, labels } = prepareXTicks(axis, [first, last], 280);
      expect(labels).toHaveLength(ticks.length);
      expect(
        ticks.every((tick, i) => tick >= first && tick <= last && tick > (ticks[i - 1] ?? -1)),
      ).toBe(true);
      if (last - first < 4e8) expect(ticks.length).toBeLessThan(12);
    }),
  );
});
