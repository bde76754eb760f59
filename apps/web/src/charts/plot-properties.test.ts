import fc from "fast-check";
import { expect, test } from "vitest";
import { END_LABEL_LINE } from "#charts/place-labels.ts";
import { isShown } from "#charts/plot-line.ts";
import {
  LABEL_GAP,
  type PlotSeries,
  type PlotWish,
  pixelsOf,
  preparePlot,
} from "#charts/prepare-plot.ts";
import { createColumns, foldPoint, type SeriesColumns } from "#charts/series-columns.ts";
import { widthAtMost } from "#charts/text-width.ts";
import type { ValueFormat } from "#charts/value-format.ts";

/** From 1e-12 to 1e12, zeros, both signs, and what is no number. */
const magnitude = fc.tuple(
  fc.constantFrom(1, -1),
  fc.double({ min: 1, max: 10, noNaN: true }),
  fc.integer({ min: -12, max: 12 }),
);
const value = fc.oneof(
  { weight: 8, arbitrary: magnitude.map(([sign, size, power]) => sign * size * 10 ** power) },
  { weight: 3, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  { weight: 2, arbitrary: fc.constantFrom(0, -0, 1, 0.5, 1e-300, 1e300, 1.7e308, 5e-324) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  },
);
/** Values near each other, far from zero: what an axis is hardest to label for. */
const near = fc
  .tuple(
    magnitude,
    fc.integer({ min: -9, max: 0 }),
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 }),
  )
  .map(([[sign, size, power], tight, parts]) => {
    const base = sign * size * 10 ** power;
    return parts.map((part) => base * (1 + part * 10 ** tight));
  });
const values = fc.oneof(
  fc.array(value, { minLength: 1, maxLength: 60 }),
  near,
  value.map((one) => [one]),
  fc
    .tuple(value, fc.integer({ min: 2, max: 40 }))
    .map(([one, count]) => new Array<number>(count).fill(one)),
);

function columnsOf(all: readonly number[], every: number): SeriesColumns {
  const columns = createColumns();
  for (const [place, one] of all.entries())
    foldPoint(columns, 1, {
      step: 1 + place * every,
      value: Number.isFinite(one) ? one : null,
      flag: Number.isNaN(one)
        ? 1
        : one === Number.POSITIVE_INFINITY
          ? 2
          : one === Number.NEGATIVE_INFINITY
            ? 3
            : 0,
      wallMs: 1_700_000_000_000 + place * 60_000,
    });
  return columns;
}

const series = fc
  .record({
    values,
    every: fc.constantFrom(1, 1, 5),
    band: fc.option(fc.tuple(values, values), { nil: null }),
    isHollow: fc.boolean(),
    end: fc.option(fc.string({ minLength: 1, maxLength: 16 }), { nil: undefined }),
  })
  .map(
    ({ values: all, every, band, isHollow, end }): PlotSeries => ({
      columns: columnsOf(all, every),
      band: band === null ? undefined : [columnsOf(band[0], every), columnsOf(band[1], every)],
      ...{ isHollow, end, color: "--c1" },
    }),
  );

const FORMATS: ValueFormat[] = ["auto", "percent", "duration", "count"];
const wish = fc.record({
  series: fc.array(series, { minLength: 1, maxLength: 8 }),
  zoom: fc.option(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 60 })), {
    nil: null,
  }),
  isLog: fc.boolean(),
  isClipped: fc.boolean(),
  hasBand: fc.boolean(),
  startsAtZero: fc.boolean(),
  ceiling: fc.constantFrom(undefined, 1),
  smoothing: fc.constantFrom(0, 0, 0.6, 0.99),
  includes: fc.option(value, { nil: null }),
  format: fc.constantFrom(...FORMATS),
  size: fc.constantFrom(
    { width: 160, height: 86 },
    { width: 290, height: 106 },
    { width: 600, height: 240 },
    { width: 1500, height: 640 },
  ),
});

type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;
function plotOf({ zoom, ...rest }: Wish) {
  const last = Math.max(...rest.series.map(({ columns }) => columns.step[columns.length - 1] ?? 1));
  const x = zoom === null ? ([1, last] as const) : ([zoom[0], zoom[0] + zoom[1]] as const);
  return preparePlot({ ...rest, x, measure: widthAtMost } satisfies PlotWish);
}

const RUNS = { numRuns: 3_000 };
const HAIR = 0.01;

test("every finite point of a line that is shown lies in the plot, or is marked at its edge", () => {
  let points = 0;
  fc.assert(
    fc.property(wish, (one) => {
      const plot = plotOf(one);
      const toPixels = pixelsOf(plot);
      expect(plot.y[1]).toBeGreaterThan(plot.y[0]);
      for (const [index, line] of plot.lines.entries()) {
        for (let place = 0; place < line.length; place += 1) {
          if (!isShown(line, place, plot)) continue;
          const at = toPixels.x(line.at[place] ?? 0);
          expect(at).toBeGreaterThanOrEqual(-HAIR);
          expect(at).toBeLessThanOrEqual(plot.box.width + HAIR);
          for (const column of [line.value, line.raw]) {
            const here = column?.[place] ?? Number.NaN;
            const own = one.series[index]?.columns.value[place] ?? Number.NaN;
            if (!Number.isFinite(here)) {
              // On a log axis zero and below have no place: they are marks. A smoothed line may begin later than its raw values.
              const isSmoothed = one.smoothing > 0 && column === line.value;
              if (Number.isFinite(own) && !isSmoothed && column !== null)
                expect(plot.isLog && own <= 0).toBe(true);
              continue;
            }
            const y = toPixels.y(here);
            points += 1;
            const isInside = y >= -HAIR && y <= plot.box.height + HAIR;
            if (!isInside) expect(one.isClipped && plot.marks.length > 0).toBe(true);
          }
          for (const edge of [line.low, line.high])
            if (plot.isLog && Number.isFinite(edge?.[place])) {
              const y = toPixels.y(edge?.[place] ?? 0);
              expect(y).toBeGreaterThanOrEqual(-HAIR);
              expect(y).toBeLessThanOrEqual(plot.box.height + HAIR);
            }
        }
      }
    }),
    RUNS,
  );
  expect(points).toBeGreaterThan(30_000);
});

test("every label of the y axis fits left of the plot, no two are alike, and none lies over another", () => {
  let labels = 0;
  fc.assert(
    fc.property(wish, (one) => {
      const plot = plotOf(one);
      const toPixels = pixelsOf(plot);
      expect(plot.yLabels).toHaveLength(plot.yTicks.length);
      expect(new Set(plot.yLabels).size).toBe(plot.yLabels.length);
      const heights = plot.yTicks.map(toPixels.y);
      for (const [place, label] of plot.yLabels.entries()) {
        labels += 1;
        expect(widthAtMost(label)).toBeLessThanOrEqual(plot.box.left - LABEL_GAP);
        expect(label).not.toMatch(/NaN|Infinity|undefined/);
        const above = heights[place + 1];
        if (above !== undefined) expect((heights[place] ?? 0) - above).toBeGreaterThanOrEqual(9);
      }
    }),
    RUNS,
  );
  expect(labels).toBeGreaterThan(8_000);
});

test("labels of the x axis lie in the chart and apart", () => {
  fc.assert(
    fc.property(wish, (one) => {
      const { xLabels } = plotOf(one);
      for (const [place, { text, left }] of xLabels.entries()) {
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left + widthAtMost(text)).toBeLessThanOrEqual(one.size.width + HAIR);
        const next = xLabels[place + 1];
        if (next !== undefined) expect(left + widthAtMost(text)).toBeLessThan(next.left);
      }
    }),
    RUNS,
  );
});

test("names at the ends of lines stand right of the plot, in the chart, and apart", () => {
  let names = 0;
  fc.assert(
    fc.property(wish, (one) => {
      const plot = plotOf(one);
      const right = plot.box.left + plot.box.width;
      const sorted = [...plot.endLabels].sort((a, b) => a.y - b.y);
      for (const [place, { text, y }] of sorted.entries()) {
        names += 1;
        expect(right + widthAtMost(text)).toBeLessThanOrEqual(one.size.width);
        expect(y).toBeGreaterThanOrEqual(0);
        expect(y).toBeLessThanOrEqual(plot.box.height);
        const next = sorted[place + 1];
        if (next !== undefined) expect(next.y - y).toBeGreaterThanOrEqual(END_LABEL_LINE - HAIR);
      }
    }),
    RUNS,
  );
  expect(names).toBeGreaterThan(500);
});
