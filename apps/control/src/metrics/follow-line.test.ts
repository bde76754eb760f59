import { expect, it } from "vitest";
import type { Point } from "#metrics/chunk-points.ts";
import { type Arrival, followLine, type StoredLine } from "#metrics/follow-line.ts";

const NEW: StoredLine = {
  ...{ points: [], lastStep: null, lastWallMs: Number.NEGATIVE_INFINITY },
  ...{ backSteps: [], backProof: false, isBehindResume: false },
};
type Row = [step: number, value: number, wallMs?: number];
const arrivals = (rows: readonly Row[], hasClock = false): Arrival[] =>
  rows.map(([step, value, wallMs = 0], order) => ({
    point: { step, value, flag: 0, wallMs, seq: order } satisfies Point,
    ...{ order, hasClock },
  }));
const follow = (rows: readonly Row[], hasClock = false) => {
  const { turns, line, head } = followLine(NEW, arrivals(rows, hasClock));
  return {
    from: turns.map((turn) => turn.from),
    steps: [...line.keys()].sort((a, b) => a - b),
    head,
  };
};
const up = (from: number, to: number, value: number, every = 1): Row[] =>
  Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, i) => [
    from + i * every,
    value + i,
  ]);
const to = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

it("a series that goes on from an earlier step is what it logs now", () => {
  expect(follow([...up(1, 20, 0), ...up(6, 9, 100)])).toEqual({ from: [6], steps: to(9), head: 9 });
});

it("goes back more than once, and past where it was", () => {
  const rows = [...up(1, 20, 0), ...up(6, 12, 100), ...up(9, 30, 200)];
  expect(follow(rows)).toEqual({ from: [6, 9], steps: to(30), head: 30 });
});

it("starts over", () => {
  expect(follow([...up(1, 20, 0), ...up(1, 3, 100)])).toEqual({ from: [1], steps: to(3), head: 3 });
});

it.each<[string, Row[]]>([
  ["a late point", [...up(1, 4, 0), [6, 6], [5, 5], [7, 7]]],
  ["late points one after another", [...up(1, 3, 0), [7, 7], [4, 4], [5, 5], [6, 6], [8, 8]]],
  ["a point sent twice", [...up(1, 8, 0), [3, 2], [4, 3], [5, 4], [9, 9]]],
  ["one point that is corrected", [...up(1, 8, 0), [3, 99], [9, 9]]],
  [
    "several values of one step",
    up(1, 9, 0).flatMap(([step, value]): Row[] => [
      [step, value],
      [step, value + 0.5],
    ]),
  ],
  [
    "two ranks that take turns",
    up(1, 9, 0).flatMap(([step, value]): Row[] => [
      [step, value],
      [Math.max(1, step - 1), value + 0.5],
    ]),
  ],
  [
    "points that were measured before the head",
    [
      ...up(1, 9, 0).map(([step, value]): Row => [step, value, step * 1000]),
      [3, 90, 3500],
      [4, 91, 4500],
      [5, 92, 5500],
    ],
  ],
  ["points in falling order", up(1, 9, 0).reverse()],
])("%s is no resume", (_, rows) => {
  const { from, steps } = follow(rows);
  expect(from).toEqual([]);
  expect(steps).toEqual(to(Math.max(...rows.map(([step]) => step))));
});

it("points in any order, each step once, never go back", () => {
  let state = 7;
  const random = () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state / 2 ** 31;
  };
  for (let round = 0; round < 300; round++) {
    const rows = up(1, 40, 0)
      .map((row) => ({ row, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ row }) => row);
    expect(follow(rows)).toMatchObject({ from: [], steps: to(40), head: 40 });
  }
});

it("a resume at a random step is found, however its points are split over folds", () => {
  let state = 3;
  const random = (most: number) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * most);
  };
  for (let round = 0; round < 300; round++) {
    const head = 5 + random(40);
    const from = 1 + random(head - 2);
    const last = from + 1 + random(40);
    const all = arrivals([...up(1, head, 0), ...up(from, last, 1000)]);
    let stored = NEW;
    let found = 0;
    for (let at = 0; at < all.length; ) {
      const part = all.slice(at, at + 1 + random(12));
      at += part.length;
      const now = followLine(stored, part);
      found += now.turns.length;
      stored = {
        ...{ points: [...now.line.values()], lastStep: now.head, lastWallMs: 0 },
        ...{ backSteps: now.backSteps, backProof: now.backProof, isBehindResume: false },
      };
    }
    expect(found, `${head} ${from} ${last}`).toBe(1);
    expect(stored.lastStep).toBe(last);
    const values = stored.points.toSorted((a, b) => a.step - b.step).map(({ value }) => value ?? 0);
    expect(values).toHaveLength(last);
    expect(values.filter((value) => value >= 1000)).toHaveLength(last - from + 1);
  }
});

it("another spacing of steps is a resume by the source's own clock alone", () => {
  const rows: Row[] = [
    ...up(0, 150, 0, 10).map(([step, value], i): Row => [step, value, 1000 + i]),
    ...up(105, 125, 50, 5).map(([step, value], i): Row => [step, value, 9000 + i]),
  ];
  expect(follow(rows, true).from).toEqual([105]);
  expect(follow(rows, true).head).toBe(125);
});

it("a source that says where it goes on is believed at once", () => {
  const rows = arrivals(up(0, 150, 0, 10));
  const told = { restart: 100, wallMs: 5, order: 99, seq: 9 };
  const { turns, line, head } = followLine(NEW, [...rows, told]);
  expect(turns).toMatchObject([{ from: 100, keptStep: 90, kind: "told" }]);
  expect(Math.max(...line.keys())).toBe(90);
  expect(head).toBe(90);
  expect(followLine(NEW, [told, ...rows]).turns).toEqual([]);
});
