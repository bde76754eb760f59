import { expect, test } from "vitest";
import type { RolloutSample } from "#learner/rollout-samples.ts";
import {
  agreementMetrics,
  correctionMetrics,
  largestLogprobDifference,
} from "#trainer/correction-metrics.ts";

const sample = (sampled: number[], version: number | null = 3): RolloutSample => ({
  rolloutIndex: 0,
  segmentId: 0,
  ids: [],
  positions: sampled.map((_, i) => i),
  sampled,
  versions: sampled.map(() => version),
  reward: 1,
  advantages: sampled.map(() => 1),
  returns: sampled.map(() => 1),
});
const trainer = (...rows: number[][]) => ({
  logProbabilities: rows.map((row) => Float32Array.from(row)),
  entropies: [],
});

test("an engine that agrees with the trainer has no divergence", () => {
  const metrics = correctionMetrics([sample([-0.5, -1])], trainer([-0.5, -1]));
  expect(metrics["rollout_corr/kl"]).toBeCloseTo(0, 7);
  expect(metrics["rollout_corr/chi2_token"]).toBeCloseTo(0, 7);
  expect(metrics["rollout_corr/ppl_ratio"]).toBeCloseTo(1, 7);
  expect(metrics["rollout_corr/rollout_ppl"]).toBeCloseTo(Math.exp(0.75), 6);
});

test("each figure follows its formula, computed here by hand", () => {
  // μ: −1, −2; π: −1.5, −1.5, so log π − log μ is −0.5 and 0.5.
  const metrics = correctionMetrics([sample([-1, -2])], trainer([-1.5, -1.5]));
  expect(metrics["rollout_corr/kl"]).toBeCloseTo(0, 6);
  expect(metrics["rollout_corr/k3_kl"]).toBeCloseTo((Math.exp(-0.5) + Math.exp(0.5)) / 2 - 1, 6);
  expect(metrics["rollout_corr/chi2_token"]).toBeCloseTo((Math.exp(-1) + Math.exp(1)) / 2 - 1, 6);
  expect(metrics["rollout_corr/chi2_seq"]).toBeCloseTo(0, 6);
});

test("agreement is measured on tokens of the very weights that score them; the others have a name of their own", () => {
  const samples = [sample([-1], 3), sample([-2], 2), sample([-1], null)];
  const scores = trainer([-1.1], [-0.5], [-1]);
  const off = Math.exp(-0.5) - Math.exp(-2);
  const synced = agreementMetrics([{ samples, scores, version: 3 }]);
  expect(synced["training/rollout_probs_diff_valid"]).toBe(1);
  expect(synced["training/rollout_probs_diff_max"]).toBeCloseTo(Math.exp(-1) - Math.exp(-1.1), 6);
  expect(synced["training/rollout_probs_diff_mean"]).toBeCloseTo(
    (Math.exp(-1) - Math.exp(-1.1)) / 2,
    6,
  );
  expect(synced["training/off_policy/token_ratio"]).toBeCloseTo(1 / 3, 9);
  expect(synced["training/off_policy/probs_diff_mean"]).toBeCloseTo(off, 6);
});

test("the second update between two syncs is scored by weights that no engine has", () => {
  const first = { samples: [sample([-1])], scores: trainer([-1]), version: 3 };
  const second = { samples: [sample([-1])], scores: trainer([-0.2]), version: null };
  const metrics = agreementMetrics([first, second]);
  expect(metrics["training/rollout_probs_diff_mean"]).toBeCloseTo(0, 6);
  expect(metrics["training/off_policy/token_ratio"]).toBe(0.5);
  expect(metrics["training/off_policy/probs_diff_mean"]).toBeCloseTo(
    Math.exp(-0.2) - Math.exp(-1),
    6,
  );
  const alone = agreementMetrics([second]);
  expect(alone["training/rollout_probs_diff_valid"]).toBe(0);
  expect(alone).not.toHaveProperty("training/rollout_probs_diff_mean");
});

test("nothing sampled, nothing claimed", () => {
  expect(agreementMetrics([])).toEqual({});
  expect(correctionMetrics([], trainer())).toEqual({});
});

test("the largest difference is over every token of every sample of these weights", () => {
  const samples = [sample([-1], null), sample([-1, -2]), sample([-9], 2)];
  const scores = trainer([-1], [-1, -2.25], [-1]);
  expect(largestLogprobDifference(samples, scores, 3)).toBeCloseTo(0.25, 6);
  expect(largestLogprobDifference(samples, scores, 2)).toBeCloseTo(8, 6);
});
