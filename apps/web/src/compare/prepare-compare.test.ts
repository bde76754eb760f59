import { expect, test } from "vitest";
import { colorRuns, compareKeys, comparePanel, differences } from "#compare/prepare-compare.ts";

const known = new Map([
  ["a", ["zeta", "critic/rewards/mean", "val-core/x/acc/mean@1", "only/a"]],
  ["b", ["zeta", "critic/rewards/mean", "val-core/x/acc/mean@1"]],
]);

test("two runs of one colour get two", () => {
  const runs = [1, 1, 2].map((color, at) => ({ id: `r${at}`, name: `r${at}`, color }));
  expect(colorRuns(runs).map(({ color }) => color)).toEqual(["--c1", "--c2", "--c3"]);
});

test("what the overview shows comes first, and what one run alone logs only when asked for", () => {
  const all = { shared: false, search: "" };
  expect(compareKeys(known, { ...all, shared: true })).toEqual([
    "critic/rewards/mean",
    "val-core/x/acc/mean@1",
    "zeta",
  ]);
  expect(compareKeys(known, all)).toContain("only/a");
  expect(compareKeys(known, { ...all, search: " ZETA" })).toEqual(["zeta"]);
});

test("a panel has a line for each run that logs the metric", () => {
  const runs = colorRuns([
    { id: "a", name: "first", color: 1 },
    { id: "b", name: "second", color: 2 },
  ]);
  expect(comparePanel("only/a", runs, known).series).toEqual([
    { key: "a:only/a", label: "first", color: "--c1" },
  ]);
  expect(comparePanel("zeta", runs, known).series).toHaveLength(2);
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
