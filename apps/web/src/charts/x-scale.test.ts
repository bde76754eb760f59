import { expect, test } from "vitest";
import { pointAt, rangeOfDrag } from "#charts/pick-step.ts";
import { preparePlot } from "#charts/prepare-plot.ts";
import { createColumns, foldPoint } from "#charts/series-columns.ts";
import { positionOfStep, positionsOf, type XScale } from "#charts/x-scale.ts";

const columns = createColumns();
/** Step 3 took long. */
for (const [step, wallMs] of [
  [1, 10_000],
  [2, 20_000],
  [3, 80_000],
  [4, 90_000],
] as const)
  foldPoint(columns, 1, { step, value: step, flag: 0, wallMs });
const tokens = { step: [1, 2, 4], total: [100, 200, 600] };
const scale = (mode: XScale["mode"]): XScale => ({
  mode,
  originMs: 10_000,
  tokens,
  clock: columns,
});
const placed = (mode: XScale["mode"]) => [...positionsOf(columns, scale(mode))].slice(0, 4);

test("points stand at their own time, at seconds since the first, or at the tokens so far", () => {
  expect(placed("step")).toEqual([1, 2, 3, 4]);
  expect(placed("wall")).toEqual([10_000, 20_000, 80_000, 90_000]);
  expect(placed("relative")).toEqual([0, 10, 70, 80]);
  // Step 3 lies between two that are known.
  expect(placed("tokens")).toEqual([100, 200, 400, 600]);
});

test("a step without a point stands between its neighbours; tokens after the last known step are not known", () => {
  expect(positionOfStep(2.5, scale("relative"))).toBe(40);
  expect(positionOfStep(9, scale("wall"))).toBe(90_000);
  expect(positionOfStep(5, scale("tokens"))).toBeNaN();
  expect(positionOfStep(2, { ...scale("tokens"), tokens: null })).toBeNaN();
});

test("by time the pointer picks what lies under it, and a drag zooms to those steps", () => {
  const drawn = [{ columns, color: "--c1" }];
  const plot = preparePlot({
    series: drawn,
    x: [1, 4],
    size: { width: 130, height: 106 },
    smoothing: 0,
    scale: scale("relative"),
  });
  const picked = { plot, drawn };
  expect(plot.span).toEqual([0, 80]);
  // By steps this would be step 3.
  expect(pointAt(picked, 38)?.step).toBe(2);
  expect(pointAt(picked, 60)?.step).toBe(3);
  expect(rangeOfDrag(picked, 8, 78)).toEqual([2, 4]);
});

test("an axis whose tokens nobody knows shows nothing and does not break", () => {
  const drawn = [{ columns, color: "--c1" }];
  const none = { ...scale("tokens"), tokens: null };
  const plot = preparePlot({
    series: drawn,
    x: [1, 4],
    size: { width: 130, height: 106 },
    smoothing: 0,
    scale: none,
  });
  expect(plot.span).toEqual([0, 1]);
  expect(pointAt({ plot, drawn }, 40)).toBeNull();
});
