import { expect, test } from "vitest";
import {
  decimalsOf,
  onAxis,
  prepareStepTicks,
  prepareTicks,
  prepareTimeTicks,
  steadyEnd,
} from "#charts/prepare-ticks.ts";

test("ticks are round and cover the values", () => {
  expect(prepareTicks(0.02, 0.58)).toEqual([0, 0.2, 0.4, 0.6]);
  expect(prepareTicks(2.1e-4, 7.4e-4)).toEqual([2e-4, 4e-4, 6e-4, 8e-4]);
});

test.each([
  [71, [0, 30, 60, 90]],
  [340, [0, 120, 240, 360]],
  [5.9, [0, 2, 4, 6]],
  [9_000, [0, 3600, 7200, 10_800]],
  [0.8, [0, 0.5, 1]],
])("an axis of time up to %d s has steps of the clock", (high, ticks) => {
  expect(prepareTimeTicks(0, high)).toEqual(ticks);
});

test("a flat line gets room above and below", () => {
  const ticks = prepareTicks(3, 3);
  expect(ticks[0]).toBeLessThan(3);
  expect(ticks.at(-1)).toBeGreaterThan(3);
});

test.each([
  [-1e308, 1e308],
  [0, 1.7e308],
  [1e308, 1e308],
  [1e299, 3e301],
])("an axis from %d to %d has ends and a height that are numbers", (low, high) => {
  const ticks = prepareTicks(low, high);
  expect(ticks.every(Number.isFinite)).toBe(true);
  const [first = 0, last = 0] = [ticks[0], ticks.at(-1)];
  expect(last - first).toBeGreaterThan(0);
  expect(Number.isFinite(last - first)).toBe(true);
  for (const end of [low, high]) {
    expect(onAxis(end)).toBeGreaterThanOrEqual(first);
    expect(onAxis(end)).toBeLessThanOrEqual(last);
  }
});

test("values a rounding error apart are one value", () => {
  expect(prepareTicks(1, 1 + Number.EPSILON).length).toBeLessThan(10);
});

test("step ticks keep both ends and never crowd them", () => {
  expect(prepareStepTicks(1, 148, 230)).toEqual([1, 50, 100, 148]);
  expect(prepareStepTicks(1, 1, 230)).toEqual([1]);
  expect(prepareStepTicks(1, 3, 230).every(Number.isInteger)).toBe(true);
});

test("an axis of steps ends at a round step that stays for many, and never before the last", () => {
  expect(steadyEnd(1, 12)).toBe(12);
  expect(steadyEnd(1, 301)).toBe(320);
  expect(steadyEnd(1, 320)).toBe(320);
  let redraws = 0;
  for (let last = 2; last <= 10_000; last += 1) {
    const end = steadyEnd(1, last);
    expect(end).toBeGreaterThanOrEqual(last);
    expect(end - last).toBeLessThanOrEqual(Math.max(2, last * 0.17));
    if (end !== steadyEnd(1, last - 1)) redraws += 1;
  }
  expect(redraws).toBeLessThan(150);
});

test("all ticks print with the same, fewest decimals", () => {
  expect(decimalsOf([0, 0.25, 0.5])).toBe(2);
  expect(decimalsOf([0, 1, 2])).toBe(0);
});
