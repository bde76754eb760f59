import { expect, test } from "vitest";
import { stepLine } from "#trainer/step-line.ts";

test("a step's line has its reward, its KL and its seconds, and no figure that it lacks", () => {
  const metrics = {
    "critic/rewards/mean": 0.515625,
    "actor/ppo_kl": 0.00012345678,
    "timing_s/step": 8.40621,
    "actor/lr": 1e-3,
  };
  expect(stepLine(metrics)).toEqual({ reward: 0.5156, kl: 0.000123, seconds: 8.41 });
  const { "actor/ppo_kl": _, ...without } = metrics;
  expect(stepLine(without)).toEqual({ reward: 0.5156, seconds: 8.41 });
});
