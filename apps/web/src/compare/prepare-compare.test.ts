import fc from "fast-check";
import { expect, test } from "vitest";
import {
  colorRuns,
  compareMetrics,
  comparePanel,
  differences,
  shortNames,
} from "#compare/prepare-compare.ts";

const known = new Map([
  ["a", ["zeta", "critic/rewards/mean", "val-core/x/acc/mean@1", "only/a"]],
  ["b", ["zeta", "critic/rewards/mean", "val-core/x/acc/mean@1"]],
]);

test("two runs of one colour get two", () => {
  const runs = [1, 1, 2].map((color, at) => ({ id: `r${at}`, name: `r${at}`, color }));
  expect(colorRuns(runs).map(({ color }) => color)).toEqual(["--c1", "--c2", "--c3"]);
});

const keysOf = (search: string, shared: boolean, logged: ReadonlyMap<string, string[]> = known) =>
  compareMetrics(logged, { shared, search }).map(({ key }) => key);

test("what the overview shows comes first, and what one run alone logs only when asked for", () => {
  expect(keysOf("", true)).toEqual(["critic/rewards/mean", "val-core/x/acc/mean@1", "zeta"]);
  expect(keysOf("", false)).toContain("only/a");
  expect(keysOf(" ZETA", false)).toEqual(["zeta"]);
});

test("one quantity under several names is one panel, each run with the best of its own names", () => {
  const logged = new Map([
    ["a", ["rollout/reward/mean", "critic/score/mean", "critic/rewards/mean"]],
    ["b", ["reward", "rollout/reward/mean"]],
  ]);
  expect(keysOf("", true, logged)).toEqual(["critic/rewards/mean"]);
  // What a run logs besides may mean another thing.
  expect(keysOf("score", true, logged)).toEqual([]);
  expect(keysOf("score", false, logged)).toEqual(["critic/score/mean"]);
  const both = [...(logged.get("a") ?? []), "zeta"];
  const alike = new Map([
    ["a", both],
    ["b", both],
  ]);
  expect(keysOf("", true, alike)).toEqual(["critic/rewards/mean", "critic/score/mean", "zeta"]);
  const [metric] = compareMetrics(logged, { shared: true, search: "" });
  expect([...(metric?.keyOf ?? [])]).toEqual([
    ["a", "critic/rewards/mean"],
    ["b", "reward"],
  ]);
});

test("a panel has a line for each run that logs the metric, evaluations as points", () => {
  const runs = colorRuns([
    { id: "a", name: "cc-async-07", color: 1 },
    { id: "b", name: "cc-async-06", color: 2 },
  ]);
  const panels = compareMetrics(known, { shared: false, search: "" }).map((metric) =>
    comparePanel(metric, runs),
  );
  const seriesOf = (title: string) => panels.find((panel) => panel.title === title)?.series;
  expect(seriesOf("only/a")).toEqual([
    { key: "a:only/a", label: "cc-async-07", end: "07", color: "--c1", isHollow: false },
  ]);
  expect(seriesOf("zeta")).toHaveLength(2);
  expect(seriesOf("val-core/x/acc/mean@1")?.map(({ isHollow }) => isHollow)).toEqual([true, true]);
});

test("a line's end is called by what tells the runs apart", () => {
  const shorts = (...runs: [id: string, name: string][]) =>
    colorRuns(runs.map(([id, name]) => ({ id, name, color: 1 }))).map(({ short }) => short);
  expect(shorts(["x", "gspo-async"], ["y", "quickstart"])).toEqual(["gspo-async", "quickstart"]);
  expect(shorts(["x", "cc-06"], ["y", "cc"])).toEqual(["cc-06", "cc"]);
  expect(shorts(["same-01", "same"], ["same-02", "same"])).toEqual(["01", "02"]);
  const sweep = (lr: string) => `sweep-lr-${lr}-seed-1-final`;
  expect(shorts(["x", sweep("0.0001")], ["y", sweep("0.0002")])).toEqual(["0.0001", "0.0002"]);
  expect(shorts(["x", "a1-with-a-long-end"], ["y", "a2-without-a-long-end"])).toHaveLength(2);
  expect(
    new Set(shorts(["x", "first_of-all_that_are_there"], ["y", "other_of-al_that_are_there"])).size,
  ).toBe(2);
  expect(shorts(["x", "one"], ["y", "a-very-long-name-of-a-run"])[1]).toBe("a-very-…-a-run");
  expect(shorts(["x", "lr_1e-5_a"], ["y", "lr_1e-6_a"])).toEqual(["5", "6"]);
});

test("whatever runs are called, no two have one short name, and none is long", () => {
  const name = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc
      .array(fc.constantFrom("qwen", "cc", "async", "06", "-", "_"), { maxLength: 12 })
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(fc.array(name, { minLength: 2, maxLength: 8 }), (names) => {
      const shorts = shortNames(names.map((one, at) => ({ id: `run-${at}`, name: one })));
      expect(new Set(shorts).size).toBe(names.length);
      for (const short of shorts) {
        expect(short.length).toBeGreaterThan(0);
        expect(short.length).toBeLessThanOrEqual(14);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("only what differs is listed, and a missing key is a difference", () => {
  const one = new Map<string, unknown>([
    ["optim.lr", 1e-5],
    ["batch.n", 8],
    ["data.files", ["/a"]],
  ]);
  const other = new Map<string, unknown>([
    ["optim.lr", 1e-6],
    ["batch.n", 8],
  ]);
  expect(differences([one, other])).toEqual([
    { path: "data.files", values: ['["/a"]', null] },
    { path: "optim.lr", values: ["0.00001", "0.000001"] },
  ]);
});
