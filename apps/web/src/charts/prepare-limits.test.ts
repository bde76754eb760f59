import { DEFAULT_THRESHOLDS, type ThresholdId } from "@liverl/contract/threshold";
import { expect, test } from "vitest";
import { prepareLimits } from "#charts/prepare-limits.ts";

const view = (id: ThresholdId, bounds = DEFAULT_THRESHOLDS[id]) => ({
  ...{ id, ...bounds, isChanged: false, actor: null, changedAt: null },
});

test("a bound is drawn on its metric's chart, where it is a value of that metric", () => {
  const limits = prepareLimits([
    view("probs-diff"),
    view("mfu"),
    view("is-mean-high"),
    view("is-mean-low"),
    view("kl-z"),
    view("truncated", { warn: null, bad: null }),
    view("invalid", { warn: null, bad: 0.4 }),
  ]);
  expect(Object.fromEntries(limits)).toEqual({
    "training/rollout_probs_diff_mean": { value: 0.005, side: "above", words: "warn above 0.0050" },
    "perf/mfu/actor": { value: 0.15, side: "below", words: "warn below 15 %" },
    "rollout_corr/rollout_is_mean": { value: 2, side: "above", words: "warn above 2" },
    "rollout/invalid_ratio": { value: 0.4, side: "above", words: "alarm above 40 %" },
  });
});

test("a bound for GPUs is not drawn on a run that has none", () => {
  expect(prepareLimits([view("mfu")], { hasGpus: false }).size).toBe(0);
  expect(prepareLimits([view("invalid")], { hasGpus: false }).size).toBe(1);
});
