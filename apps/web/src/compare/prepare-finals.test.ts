import type { RunDetail } from "@liverl/contract/run";
import { commonEnd, defaultFinalsAt, type FinalsAt } from "@liverl/contract/run-finals";
import { expect, test } from "vitest";
import { finalColumns, type MeasuredRun, prepareFinals } from "#compare/prepare-finals.ts";

/** What the table looks at. */
function run(id: string, reward: number | null, rest: object = {}): RunDetail {
  const part = {
    ...{ id, reward: { last: reward, steps: [], values: [] }, heldOutReward: null },
    ...{ stepTimeS: null, mfu: null, idleRatio: null, cost: null },
  };
  return { ...part, ...rest } as unknown as RunDetail;
}
const first = run("a", 0.4, { stepTimeS: 10, mfu: 0 });
const alone = (one: RunDetail) => ({ run: one, series: [] });
const inShort = (one: RunDetail, base: RunDetail) =>
  prepareFinals(alone(one), alone(base))
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
  expect(finalColumns([alone(first), alone(run("b", null))]).map(({ label }) => label)).toEqual([
    "Reward",
    "Step time",
    "MFU",
  ]);
});

const reward = (values: readonly number[]) => ({
  key: "critic/rewards/mean",
  step: values.map((_, at) => at + 1),
  value: values,
  wallMs: values.map((_, at) => at * 60_000),
});
const long = { run: run("long", 0.5, { step: 5 }), series: [reward([0.1, 0.3, 0.9, 0.6, 0.5])] };
const short = { run: run("short", 0.4, { step: 2 }), series: [reward([0.2, 0.4])] };
const rewardOf = (at: FinalsAt, one: MeasuredRun, base: MeasuredRun) =>
  prepareFinals(one, base, at).find(({ label }) => label === "Reward");

test("runs of unequal length are compared at one step, one time, or each at its best, and each number says its step", () => {
  expect(commonEnd([long.series, short.series])).toEqual({ step: 2, seconds: 60 });
  expect(defaultFinalsAt([long.run, short.run], { step: 2 })).toEqual({ kind: "step", step: 2 });
  expect(defaultFinalsAt([long.run, long.run], { step: 5 })).toEqual({ kind: "last" });
  expect(rewardOf({ kind: "last" }, long, short)).toMatchObject({
    ...{ text: "0.500", place: "at 5", change: "+0.10" },
  });
  expect(rewardOf({ kind: "step", step: 2 }, long, short)).toMatchObject({
    ...{ text: "0.300", place: null, change: "−0.10" },
  });
  expect(rewardOf({ kind: "time", seconds: 60 }, long, short)).toMatchObject({
    ...{ text: "0.300", place: "at 2" },
  });
  expect(rewardOf({ kind: "best" }, long, short)).toMatchObject({
    ...{ text: "0.900", place: "at 3", change: "+0.50" },
  });
});

test("what is known of a whole run alone has no number at a step", () => {
  const costly = { run: run("a", 1, { step: 5, cost: { deviceHours: 3 } }), series: long.series };
  expect(finalColumns([costly], { kind: "last" }).map(({ label }) => label)).toContain(
    "Device hours",
  );
  expect(finalColumns([costly], { kind: "step", step: 3 }).map(({ label }) => label)).toEqual([
    "Reward",
  ]);
});
