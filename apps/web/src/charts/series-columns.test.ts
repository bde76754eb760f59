import { expect, test } from "vitest";
import {
  columnsOfBuckets,
  createColumns,
  foldPoint,
  lastFinite,
  nearestPlace,
  type SeriesColumns,
  valueBefore,
} from "#charts/series-columns.ts";

function shown(columns: SeriesColumns) {
  return Array.from({ length: columns.length }, (_, place) => [
    columns.step[place],
    columns.value[place],
  ]);
}
const point = (step: number, value: number | null, flag = 0) => ({
  step,
  value,
  flag,
  wallMs: step * 1000,
});

test("live points append, and a repeated step replaces", () => {
  const columns = createColumns(2);
  for (const step of [1, 2, 3, 4, 5]) foldPoint(columns, 1, point(step, step / 10));
  foldPoint(columns, 1, point(3, 9));
  expect(shown(columns)).toEqual([
    [1, 0.1],
    [2, 0.2],
    [3, 9],
    [4, 0.4],
    [5, 0.5],
  ]);
});

test("a late point lands in its place", () => {
  const columns = createColumns();
  for (const step of [1, 2, 5]) foldPoint(columns, 1, point(step, step));
  foldPoint(columns, 1, point(3, 3));
  expect(shown(columns).map(([step]) => step)).toEqual([1, 2, 3, 5]);
});

test("in wide buckets the last step draws the line and the band widens", () => {
  const columns = createColumns();
  foldPoint(columns, 4, point(4, 1));
  foldPoint(columns, 4, point(6, 5));
  foldPoint(columns, 4, point(5, -2));
  foldPoint(columns, 4, point(8, 3));
  expect(shown(columns)).toEqual([
    [6, 5],
    [8, 3],
  ]);
  expect([columns.min[0], columns.max[0]]).toEqual([-2, 5]);
});

test("NaN and infinities are gaps with a flag, not zeros", () => {
  const columns = createColumns();
  foldPoint(columns, 1, point(1, 0.5));
  foldPoint(columns, 1, point(2, null, 2));
  expect(columns.value[1]).toBeNaN();
  expect(columns.flag[1]).toBe(2);
  expect(lastFinite(columns)).toEqual({ step: 1, value: 0.5 });
});

test("nearest and earlier values are found by search", () => {
  const columns = columnsOfBuckets({
    key: "k",
    step: [10, 20, 30],
    value: [1, null, 3],
    min: [1, null, 3],
    max: [1, null, 3],
    n: [1, 1, 1],
    flag: [0, 1, 0],
    wallMs: [0, 0, 0],
  });
  expect(nearestPlace(columns, 14)).toBe(0);
  expect(nearestPlace(columns, 16)).toBe(1);
  expect(nearestPlace(columns, 99)).toBe(2);
  expect(valueBefore(columns, 25)).toBe(1);
  expect(nearestPlace(createColumns(), 5)).toBe(-1);
});
