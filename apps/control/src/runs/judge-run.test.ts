import { COMPUTED_KEYS } from "@liverl/contract/metric";
import { describe, expect, test } from "vitest";
import { emptyPoints, pushPoint } from "#metrics/chunk-points.ts";
import { judgeRun, type RunEvidence } from "#runs/judge-run.ts";

const NOW = 1_000_000_000;
const points = (values: (number | null)[]) => {
  const list = emptyPoints();
  for (const [step, value] of values.entries())
    pushPoint(list, { step, value, flag: value === null ? 1 : 0, wallMs: NOW, seq: step });
  return list;
};
const steady = (value: number, count = 20) =>
  Array.from({ length: count }, (_, i) => value + (i % 3) * 0.001);

function judge(signals: Record<string, (number | null)[]>, change: Partial<RunEvidence> = {}) {
  const verdict = judgeRun({
    status: "running",
    statusReason: null,
    step: 20,
    plannedSteps: 100,
    signals: new Map(Object.entries(signals).map(([key, values]) => [key, points(values)])),
    lastPointMs: NOW,
    nowMs: NOW,
    crashes: 0,
    ...change,
  });
  return { ...verdict, ids: verdict.advisories.map((advisory) => advisory.id) };
}
const REWARD = "critic/rewards/mean";

describe("judgeRun", () => {
  test("a run without a point is unknown, one that learns is healthy", () => {
    expect(judge({}).word).toBe("Unknown");
    const healthy = judge({
      [REWARD]: Array.from({ length: 20 }, (_, i) => i / 20),
      "actor/grad_norm": steady(0.5),
      "timing_s/step": steady(1),
    });
    expect(healthy).toMatchObject({ word: "Healthy", progress: "ok", stability: "ok", ids: [] });
    expect(healthy.sentence).toMatch(/^Reward 0\.900 after 0\.050/);
  });

  test.each([
    ["rollout-mismatch", { "training/rollout_probs_diff_mean": [0.02] }, "bad"],
    ["rollout-mismatch", { "training/rollout_probs_diff_mean": [0.007] }, "warn"],
    ["rollout-kl", { "rollout_corr/kl": [-0.2] }, "warn"],
    ["entropy-collapse", { "actor/entropy": [1, 1, 1, 0.5, 0.1, 0.1, 0.1] }, "warn"],
    ["grad-norm-spike", { "actor/grad_norm": [...steady(0.5), 9] }, "warn"],
    ["grad-norm-nan", { "actor/grad_norm": [0.5, null] }, "bad"],
    [
      "zero-std-groups",
      {
        [COMPUTED_KEYS.zeroStd]: steady(0.6, 5),
        [COMPUTED_KEYS.groupsNone]: steady(0.6, 5),
        [COMPUTED_KEYS.groupsAll]: steady(0, 5),
      },
      "warn",
    ],
    [
      "groups-solved",
      {
        [COMPUTED_KEYS.zeroStd]: steady(0.9, 5),
        [COMPUTED_KEYS.groupsNone]: steady(0, 5),
        [COMPUTED_KEYS.groupsAll]: steady(0.9, 5),
      },
      "ok",
    ],
    ["routing-coverage", { [COMPUTED_KEYS.routingCoverage]: [1, 0.9] }, "warn"],
    ["agent-errors", { [COMPUTED_KEYS.agentErrors]: [0.1, 0.1, 0.1] }, "warn"],
    ["agent-errors", { [COMPUTED_KEYS.agentErrors]: [1, 0.9, 0.8] }, "bad"],
    ["invalid-rollouts", { [COMPUTED_KEYS.invalidRatio]: [0.1, 0.1, 0.1] }, "warn"],
    ["reward-flat", { [REWARD]: steady(0.1, 31) }, "warn"],
    ["held-out-falls", { "val-core/x/acc/mean@1": [0.12, 0.05, 0] }, "warn"],
    ["reward-falls", { [REWARD]: [...steady(0.8, 10), ...steady(0.3, 10)] }, "warn"],
  ])("sees %s", (id, signals, level) => {
    const verdict = judge(signals);
    expect(verdict.advisories).toContainEqual(expect.objectContaining({ id, level }));
    expect(verdict.word).toBe(level === "ok" ? "Healthy" : "Degraded");
  });

  test.each<Record<string, (number | null)[]>>([
    { "training/rollout_probs_diff_mean": [0.004] },
    { "rollout_corr/kl": [0.05] },
    { "actor/entropy": [1, 1, 1, 0.9, 0.5, 0.4, 0.4] },
    // Little entropy is left because the task is solved.
    { "actor/entropy": [1, 1, 1, 0.5, 0.1, 0.1, 0.1], [REWARD]: steady(0.97) },
    { "actor/grad_norm": [...steady(0.5), 0.503] },
    { [COMPUTED_KEYS.invalidRatio]: [0, 0.04, 0.04] },
    { [REWARD]: steady(0.5, 10) },
    { [REWARD]: steady(0.95, 40) },
    { [REWARD]: Array.from({ length: 40 }, (_, i) => 0.3 + i / 200) },
    { "val-core/x/acc/mean@1": [0.5, 0.6, 0.48] },
  ])("says nothing of %j", (signals) => {
    expect(judge(signals).ids).toEqual([]);
  });

  test("nothing is said of progress before ten steps", () => {
    expect(judge({ [REWARD]: [0.1, 0.1, 0.2] }).progress).toBe("unknown");
    expect(judge({ [REWARD]: steady(0.5, 10) }).progress).toBe("ok");
  });

  test("a stall is six times a step, but at least a minute", () => {
    const signals = { "timing_s/step": steady(2) };
    expect(judge(signals, { nowMs: NOW + 50_000 }).ids).toEqual([]);
    expect(judge(signals, { nowMs: NOW + 61_000 })).toMatchObject({
      word: "Stalled",
      performance: "bad",
    });
    expect(judge({ "timing_s/step": steady(100) }, { nowMs: NOW + 300_000 }).ids).toEqual([]);
    expect(judge(signals, { nowMs: NOW + 61_000, status: "succeeded" }).ids).toEqual([]);
  });

  test("a failed run is down and says why", () => {
    expect(
      judge({ [REWARD]: steady(0.5) }, { status: "failed", statusReason: "no disk" }),
    ).toMatchObject({ word: "Down", failures: "bad", sentence: "Failed: no disk." });
  });
});
