import { expect, test } from "vitest";
import { launchSpec } from "#testing/factories.ts";
import { advantageOf } from "#trajectories/advantage-of.ts";

const training = { state: "trained", step: 3, reason: null } as const;
const base = { mode: "train", status: "succeeded" } as const;
const row = { ...base, reward: 1, advantage: 0.7, training };
const { algorithm } = launchSpec();
const critic = launchSpec({ algorithm: { ...algorithm, adv_estimator: "gae" } });

test("the group's advantage is told where the trainer takes it so", () => {
  expect(advantageOf(launchSpec(), row)).toEqual({ value: 0.7, why: null });
});

test("what the trainer recorded goes before what its estimator would make", () => {
  const recorded = { count: 3, min: -0.25, mean: -0.25, max: -0.25 };
  expect(advantageOf(launchSpec(), row, recorded)).toEqual({ value: -0.25, why: null });
  const spread = advantageOf(critic, row, { ...recorded, max: 1 });
  expect(spread.value).toBeNull();
  expect(spread.why).toContain("-0.25 to 1.00");
  expect(advantageOf(launchSpec(), row, { ...recorded, count: 0 }).value).toBe(0.7);
});

test.each<[string, ReturnType<typeof launchSpec>, Parameters<typeof advantageOf>[1], RegExp]>([
  ["a critic's", critic, row, /critic/],
  ["an evaluation's", launchSpec(), { ...row, mode: "eval" }, /evaluation/],
  ["one under way's", launchSpec(), { ...row, status: "running", reward: null }, /reward/],
  ["one's without reward", launchSpec(), { ...row, reward: null, advantage: null }, /without/],
  [
    "a filtered one's",
    launchSpec(),
    { ...row, advantage: null, training: { state: "filtered", step: null, reason: "timeout" } },
    /filtered out: timeout/,
  ],
  ["a lonely one's", launchSpec(), { ...row, advantage: null }, /no other rollout/],
])("%s is unknown, and why is said", (_, spec, one, why) => {
  const told = advantageOf(spec, one);
  expect(told.value).toBeNull();
  expect(told.why).toMatch(why);
});
