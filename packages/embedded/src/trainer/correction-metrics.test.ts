import { expect, test } from "vitest";
import { correctionMetrics, largestLogprobDifference } from "#trainer/correction-metrics.ts";

const sample = (sampled: number[]) => ({
  rolloutIndex: 0,
  ids: [],
  positions: sampled.map((_, i) => i),
  sampled,
  advantage: 1,
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
  expect(metrics["training/rollout_probs_diff_max"]).toBeCloseTo(Math.exp(-1) - Math.exp(-1.5), 6);
});

test("nothing sampled, nothing claimed", () => {
  expect(correctionMetrics([], trainer())).toEqual({});
});

test("the largest difference is over every token of every sample", () => {
  expect(
    largestLogprobDifference([sample([-1]), sample([-1, -2])], trainer([-1], [-1, -2.25])),
  ).toBeCloseTo(0.25, 6);
});
