import { expect, test } from "vitest";
import { modeAt, nextStep, pointAt, rangeOfDrag, zoomed } from "#charts/pick-step.ts";
import { preparePlot } from "#charts/prepare-plot.ts";
import { createColumns, foldPoint } from "#charts/series-columns.ts";

const columns = createColumns();
for (const step of [0, 10, 20, 30, 100])
  foldPoint(columns, 1, { step, value: step, flag: 0, wallMs: 0 });
const drawn = [{ columns, color: "--c1" }];
const shown = {
  drawn,
  plot: preparePlot({
    series: drawn,
    x: [0, 100],
    size: { width: 250, height: 106 },
    smoothing: 0,
  }),
};

test("the pointer picks the nearest logged step", () => {
  expect(pointAt(shown, 0)?.step).toBe(0);
  expect(pointAt(shown, 44)?.step).toBe(20);
  expect(pointAt(shown, 199)?.step).toBe(100);
});

test("a step that only evaluations have opens its held-out rollouts", () => {
  const evaluated = createColumns();
  for (const step of [0, 7]) foldPoint(evaluated, 1, { step, value: 1, flag: 0, wallMs: 0 });
  const both = { drawn: [...drawn, { columns: evaluated, color: "--c2", isHollow: true }] };
  expect(modeAt(both, 0)).toBe("train");
  expect(modeAt(both, 7)).toBe("eval");
  expect(modeAt(both, 10)).toBe("train");
});

test("keys move from step to step and stop at the ends", () => {
  expect(nextStep(shown, null, 1)?.step).toBe(100);
  expect(nextStep(shown, 20, 1)?.step).toBe(30);
  expect(nextStep(shown, 0, -1)?.step).toBe(0);
});

test("a drag zooms to whole steps, a twitch does not", () => {
  expect(rangeOfDrag(shown, 120, 20)).toEqual([10, 60]);
  expect(rangeOfDrag(shown, 20, 21)).toBeNull();
});

test("keys zoom around the crosshair, and out again to all", () => {
  expect(zoomed(shown, 20, "+")).toEqual([0, 45]);
  expect(zoomed(shown, null, "+")).toEqual([25, 75]);
  const near = {
    ...shown,
    plot: preparePlot({
      series: drawn,
      x: [40, 60],
      size: { width: 250, height: 106 },
      smoothing: 0,
    }),
  };
  expect(zoomed(near, null, "-")).toEqual([30, 70]);
  expect(zoomed(shown, null, "-")).toBeNull();
});

test("nothing to pick in an empty plot", () => {
  const empty = [{ columns: createColumns(), color: "--c1" }];
  expect(pointAt({ ...shown, drawn: empty }, 10)).toBeNull();
});
