import { expect, test } from "vitest";
import { parseYRange } from "#charts/full-view/full-look.ts";
import { lineRows } from "#charts/full-view/line-rows.ts";
import { joinCsv } from "#charts/full-view/series-csv.ts";
import { seriesStats } from "#charts/full-view/series-stats.ts";
import { preparePlot } from "#charts/prepare-plot.ts";
import { createColumns, foldPoint } from "#charts/series-columns.ts";

const columns = createColumns();
for (const step of [1, 2, 3, 4, 5, 9, 10, 11])
  foldPoint(columns, 1, {
    step,
    value: step === 3 ? null : step,
    flag: step === 3 ? 1 : 0,
    wallMs: 0,
  });
const plotOf = (x: readonly [number, number]) =>
  preparePlot({
    series: [{ columns, color: "--c1" }],
    x,
    size: { width: 800, height: 400 },
    smoothing: 0,
  });

test("rows of a line have no value where one is missing, and a gap where steps are", () => {
  const plot = plotOf([1, 11]);
  const rows = lineRows(plot.lines[0] ?? expect.fail(), plot);
  expect(rows.map(({ x, y }) => [x, y])).toEqual([
    ...[
      [1, 1],
      [2, 2],
      [3, null],
      [4, 4],
      [5, 5],
      [7, null],
    ],
    ...[
      [9, 9],
      [10, 10],
      [11, 11],
    ],
  ]);
});

test("a zoom keeps a point on each side, for the line to go on to the edge", () => {
  const plot = plotOf([9, 10]);
  expect(lineRows(plot.lines[0] ?? expect.fail(), plot).map(({ x }) => x)).toEqual([
    5, 7, 9, 10, 11,
  ]);
});

test("figures are of the steps shown", () => {
  const stats = seriesStats({ columns }, { x: [2, 9], window: null });
  expect(stats).toMatchObject({ last: { step: 9, value: 9 }, min: 2, max: 9, mean: 5 });
  expect(seriesStats({ columns }, { x: [50, 60], window: null }).last).toBeNull();
});

test.each([
  ["0.1:0.6", [0.1, 0.6]],
  [":1", [null, 1]],
  ["-2:", [-2, null]],
  ["1:0", null],
  [":", null],
  ["a:b", null],
])("the y range %s", (text, range) => expect(parseYRange(text)).toEqual(range));

test("tables of several runs are one, with the run before each row", () => {
  const table = (value: number) => `key,step,wall_time,value\r\nloss,1,0,${value}\r\n`;
  expect(
    joinCsv([
      { runId: "a", text: table(1) },
      { runId: "b", text: table(2) },
    ]),
  ).toBe("run,key,step,wall_time,value\r\na,loss,1,0,1\r\nb,loss,1,0,2\r\n");
});
