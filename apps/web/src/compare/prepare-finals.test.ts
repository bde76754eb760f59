import type { RunDetail } from "@liverl/contract/run";
import { expect, test } from "vitest";
import { finalColumns, prepareFinals } from "#compare/prepare-finals.ts";

/** What the table looks at. */
function run(id: string, reward: number | null, rest: object = {}): RunDetail {
  const part = {
    ...{ id, reward: { last: reward, steps: [], values: [] }, heldOutReward: null },
    ...{ stepTimeS: null, mfu: null, idleRatio: null, cost: null },
  };
  return { ...part, ...rest } as unknown as RunDetail;
}
const first = run("a", 0.4, { stepTimeS: 10, mfu: 0 });
const inShort = (one: RunDetail, base: RunDetail) =>
  prepareFinals(one, base)
    .filter(({ text }) => text !== "—")
    .map(({ label, text, change }) => [label, text, change]);

test("a number stands beside its difference from the baseline's", () => {
  expect(inShort(run("b", 0.5, { stepTimeS: 7.5, mfu: 0.2 }), first)).toEqual([
    ["Reward", "0.500", "+0.10"],
    ["Step time", "7.5 s", "−25 %"],
    ["MFU", "20 %", "+20 pt"],
  ]);
  expect(inShort(first, first)).toEqual([
    ["Reward", "0.400", null],
    ["Step time", "10 s", null],
    ["MFU", "0 %", null],
  ]);
});

test("a share differs in points, and an amount many times as large is told as a multiple", () => {
  const base = run("a", null, { mfu: 0.102, cost: { deviceHours: 0.0357 } });
  expect(inShort(run("b", null, { mfu: 0.067, cost: { deviceHours: 0.175 } }), base)).toEqual([
    ["MFU", "6.7 %", "−3.5 pt"],
    ["Device hours", "0.175", "×4.90"],
  ]);
});

test("from a loss, more is still up", () => {
  expect(inShort(run("b", -0.1), run("a", -0.2))).toEqual([["Reward", "−0.100", "+0.10"]]);
});

test("nobody's number has no column", () => {
  expect(finalColumns([first, run("b", null)]).map(({ label }) => label)).toEqual([
    "Reward",
    "Step time",
    "MFU",
  ]);
});
