import type { Distribution } from "@liverl/contract/distribution";
import { expect, test } from "vitest";
import { prepareHeat } from "#charts/prepare-heat.ts";
import { BY_STEP } from "#charts/x-scale.ts";

const spread: Distribution = {
  ...{ bucketSteps: 2, low: 0.5, high: 3.5, bins: 3, step: [1, 3], n: [4, 1] },
  ...{ p10: [1, 2], median: [1.5, 2], p90: [3, 2] },
  counts: [
    [2, 0, 2],
    [0, 1, 0],
  ],
};
const wish = {
  x: [0, 4] as const,
  size: { width: 250, height: 106 },
  scale: BY_STEP,
  isGrowing: false,
  color: "--c1",
};

test("a cell is as wide as its steps and as dark as its share; empty bins have none", () => {
  const { cells, plot } = prepareHeat(spread, wish);
  expect(cells).toEqual([
    { from: -0.5, to: 1.5, low: 0.5, high: 1.5, share: 0.5 },
    { from: -0.5, to: 1.5, low: 2.5, high: 3.5, share: 0.5 },
    { from: 1.5, to: 3.5, low: 1.5, high: 2.5, share: 1 },
  ]);
  expect(plot.y).toEqual([0.5, 3.5]);
  expect(plot.yTicks).toEqual([1, 2, 3]);
});

test("the line over the cells is the median", () => {
  const { drawn } = prepareHeat(spread, wish);
  const columns = drawn[0]?.columns;
  expect([columns?.length, columns?.value[0], columns?.value[1]]).toEqual([2, 1.5, 2]);
});
