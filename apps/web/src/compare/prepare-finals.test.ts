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
    ["Reward", "0.500", "+25 %"],
    ["Step time", "7.5 s", "−25 %"],
    ["MFU", "20 %", null],
  ]);
  expect(inShort(first, first)).toEqual([
    ["Reward", "0.400", null],
    ["Step time", "10 s", null],
    ["MFU", "0 %", null],
  ]);
});

test("from a loss, more is still up", () => {
  expect(inShort(run("b", -0.1), run("a", -0.2))).toEqual([["Reward", "−0.100", "+50 %"]]);
});

test("nobody's number has no column", () => {
  expect(finalColumns([first, run("b", null)]).map(({ label }) => label)).toEqual([
    "Reward",
    "Step time",
    "MFU",
  ]);
});
