import { expect, test } from "vitest";
import { alignTo, preparePlot } from "#charts/prepare-plot.ts";
import { createColumns, foldPoint, type SeriesColumns } from "#charts/series-columns.ts";

function series(points: readonly (readonly [number, number | null])[]): SeriesColumns {
  const columns = createColumns();
  for (const [step, value] of points)
    foldPoint(columns, 1, { step, value, flag: value === null ? 1 : 0, wallMs: 0 });
  return columns;
}
const color = "--c1";

test("the y axis covers what the x range shows, not what it hides", () => {
  const columns = series([
    [1, 100],
    [2, 0.2],
    [3, 0.4],
  ]);
  const plot = preparePlot({
    series: [{ columns, color }],
    x: [2, 3],
    size: { width: 280, height: 106 },
    smoothing: 0,
  });
  expect(plot.y[1]).toBeLessThan(1);
});

test("a share never gets an axis above 100 %", () => {
  const plot = preparePlot({
    series: [
      {
        columns: series([
          [1, 0.1],
          [2, 0.97],
        ]),
        color,
      },
    ],
    x: [1, 2],
    size: { width: 280, height: 106 },
    startsAtZero: true,
    ceiling: 1,
    smoothing: 0,
  });
  expect(plot.y).toEqual([0, 1]);
});

test("shares that add up to a hair above 1 still end at 100 %", () => {
  const thirds = [0.1, 0.2, 0.7000001].map((share) => ({
    columns: series([
      [1, share],
      [2, share],
    ]),
    color,
  }));
  expect(
    preparePlot({
      series: thirds,
      x: [1, 2],
      size: { width: 280, height: 106 },
      isStacked: true,
      startsAtZero: true,
      ceiling: 1,
      smoothing: 0,
    }).y,
  ).toEqual([0, 1]);
});

test("a stack adds up and keeps each line's floor", () => {
  const plot = preparePlot({
    series: [
      {
        columns: series([
          [1, 1],
          [2, 2],
        ]),
        color,
      },
      { columns: series([[1, 10]]), color },
    ],
    x: [1, 2],
    size: { width: 280, height: 106 },
    isStacked: true,
    smoothing: 0,
  });
  expect([...(plot.lines[1]?.value ?? [])]).toEqual([11, 2]);
  expect([...(plot.lines[1]?.low ?? [])]).toEqual([1, 2]);
});

test("NaN stands as a mark and leaves a gap", () => {
  const plot = preparePlot({
    series: [
      {
        columns: series([
          [1, 1],
          [2, null],
          [3, 1],
        ]),
        color,
      },
    ],
    x: [1, 3],
    size: { width: 280, height: 106 },
    smoothing: 0.6,
  });
  expect(plot.marks).toEqual([{ kind: "nan", color: "--bad-mark", from: 2, to: 2, count: 1 }]);
  expect(plot.lines[0]?.value[1]).toBeNaN();
  expect(plot.lines[0]?.raw).not.toBeNull();
});

test("a limit is always on the axis", () => {
  const plot = preparePlot({
    series: [
      {
        columns: series([
          [1, 0.03],
          [2, 0.05],
        ]),
        color,
      },
    ],
    x: [1, 2],
    size: { width: 280, height: 106 },
    smoothing: 0,
    includes: 0.1,
  });
  expect(plot.y[1]).toBeGreaterThanOrEqual(0.1);
});

test("an empty plot still has axes", () => {
  expect(
    preparePlot({ series: [], x: [1, 10], size: { width: 280, height: 106 }, smoothing: 0 }).yTicks,
  ).toEqual([0, 1]);
});

test("values are matched by step", () => {
  expect([
    ...alignTo(
      series([
        [1, 0],
        [2, 0],
        [4, 0],
      ]),
      series([
        [2, 7],
        [3, 8],
        [4, 9],
      ]),
    ),
  ]).toEqual([Number.NaN, 7, 9]);
});

const steps = (values: readonly number[]) => series(values.map((value, at) => [at + 1, value]));

test("a log axis has whole decades, and counts what has no place on it", () => {
  const plot = preparePlot({
    series: [{ columns: steps([0.001, 0, 10, -1, 0.5]), color }],
    ...{ x: [1, 5], size: { width: 280, height: 106 }, smoothing: 0, isLog: true },
  });
  expect(plot.yLabels).toEqual(["0.001", "0.01", "0.1", "1", "10"]);
  expect(plot.y).toEqual([-3, 1]);
  expect(plot.belowLog).toBe(2);
  expect([...(plot.lines[0]?.value ?? [])].slice(0, 3)).toEqual([-3, Number.NaN, 1]);
});

test("a log axis is made for the line; a band is cut at its ends", () => {
  const plot = preparePlot({
    series: [{ columns: steps([0.1, 10]), color, band: [steps([0, 1]), steps([1, 100])] as const }],
    ...{ x: [1, 2], size: { width: 280, height: 106 }, smoothing: 0, isLog: true },
  });
  expect(plot.y).toEqual([-1, 1]);
  expect([...(plot.lines[0]?.low ?? [])]).toEqual([-1, 0]);
  expect([...(plot.lines[0]?.high ?? [])]).toEqual([0, 1]);
});

test("a clipped axis leaves a spike out and says so; few or equal values are not clipped", () => {
  const wish = {
    x: [1, 100] as const,
    size: { width: 280, height: 106 },
    smoothing: 0,
    isClipped: true,
  };
  const wave = Array.from({ length: 100 }, (_, at) => 1 + Math.sin(at));
  const spiked = preparePlot({
    ...wish,
    series: [{ columns: steps([...wave.slice(1), 500]), color }],
  });
  expect(spiked.y[1]).toBeLessThan(3);
  expect(spiked.clipped).toBe(1);
  const few = preparePlot({ ...wish, series: [{ columns: steps([1, 2, 500]), color }] });
  expect(few.clipped).toBe(0);
  expect(few.y[1]).toBeGreaterThanOrEqual(500);
  const flat = Array.from({ length: 60 }, (_, at) => (at === 30 ? 9 : 1));
  expect(preparePlot({ ...wish, series: [{ columns: steps(flat), color }] }).clipped).toBe(0);
});

test("without the band the axis covers the line alone", () => {
  const band = [steps([0, 0]), steps([50, 50])] as const;
  const plot = preparePlot({
    series: [{ columns: steps([1, 2]), color, band }],
    ...{ x: [1, 2], size: { width: 280, height: 106 }, smoothing: 0, hasBand: false },
  });
  expect(plot.lines[0]?.low).toBeNull();
  expect(plot.y[1]).toBe(2);
});

test("what a clipped axis leaves out does not pull the smoothed line with it", () => {
  const value = Array.from({ length: 100 }, (_, at) => (at === 50 ? 1e12 : at % 10));
  const wish = {
    x: [1, 100] as const,
    size: { width: 280, height: 106 },
    smoothing: 0.9,
    isClipped: true,
  };
  const plot = preparePlot({ ...wish, series: [{ columns: steps(value), color }] });
  expect(plot.clipped).toBeGreaterThan(0);
  expect(Math.max(...plot.lines[0]!.value)).toBeLessThan(10);
});
