import { describe, expect, it } from "vitest";
import { combineStepRewards, missedMinReward } from "#tasks/step-rewards.ts";

describe("the reward of several steps", () => {
  it.each([
    ["mean", [{ reward: 1 }, { reward: 0 }], { reward: 0.5 }],
    ["mean", [{ reward: 1 }, null], { reward: 1 }],
    ["mean", [{ reward: 1, style: 0.5 }, { reward: 0 }], { reward: 0.5, style: 0.25 }],
    ["mean", [null, null], null],
    ["mean", [{}], null],
    ["mean", [], null],
    ["final", [{ reward: 1 }, { reward: 0.25 }], { reward: 0.25 }],
    ["final", [{ reward: 1 }, null], null],
    ["final", [], null],
  ] as const)("%s of %j is %j", (strategy, steps, expected) => {
    expect(combineStepRewards(strategy, steps)).toEqual(expected);
  });

  it.each([
    [{ reward: 0.5 }, { reward: 0.5 }, null],
    [{ reward: 0.4 }, { reward: 0.5 }, "reward is 0.4, at least 0.5 was needed"],
    [{ other: 1 }, { reward: 0 }, "reward is missing, at least 0 was needed"],
    [null, { reward: -5 }, "reward is missing, at least -5 was needed"],
    [null, null, null],
    [{ a: 1, b: 0 }, { a: 1, b: 1 }, "b is 0, at least 1 was needed"],
  ])("%j against %j", (rewards, minRewards, expected) => {
    expect(missedMinReward(rewards, minRewards)).toBe(expected);
  });
});
