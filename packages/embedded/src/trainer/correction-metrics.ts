import type { Scores } from "#learner/learner.ts";
import type { RolloutSample } from "#learner/rollout-samples.ts";
import { correlation, mean, standardDeviation } from "#trainer/summarize.ts";

/**
 * How far the engine's log-probs are from the trainer's own, under the names and formulas of verl's
 * `rollout_corr_helper` and `debug/metrics`: π is the trainer, μ the rollout engine, sums run over sampled tokens.
 */
export function correctionMetrics(
  samples: readonly RolloutSample[],
  trainer: Scores,
): Record<string, number> {
  const rollout = samples.flatMap(({ sampled }) => sampled);
  const training = samples.flatMap((_, i) => [...trainer.logProbabilities[i]]);
  if (rollout.length === 0) return {};
  const logRatio = training.map((value, i) => value - rollout[i]);
  const probability = (logs: readonly number[]) => logs.map(Math.exp);
  const difference = probability(rollout).map((value, i) =>
    Math.abs(value - Math.exp(training[i])),
  );
  // Per sequence: minus the mean log-prob is the log-perplexity.
  const rolloutLogPpl = samples.map(({ sampled }) => -mean(sampled));
  const trainingLogPpl = samples.map((_, i) => -mean([...trainer.logProbabilities[i]]));
  const gap = trainingLogPpl.map((value, i) => value - rolloutLogPpl[i]);
  const sequenceRatio = samples.map(({ sampled }, i) =>
    [...trainer.logProbabilities[i]].reduce((sum, value, k) => sum + value - sampled[k], 0),
  );
  return {
    "rollout_corr/kl": mean(logRatio.map((value) => -value)),
    "rollout_corr/k3_kl": mean(logRatio.map((value) => Math.exp(value) - value - 1)),
    "rollout_corr/training_ppl": mean(trainingLogPpl.map(Math.exp)),
    "rollout_corr/training_log_ppl": mean(trainingLogPpl),
    "rollout_corr/rollout_ppl": mean(rolloutLogPpl.map(Math.exp)),
    "rollout_corr/rollout_log_ppl": mean(rolloutLogPpl),
    "rollout_corr/log_ppl_diff": mean(gap),
    "rollout_corr/log_ppl_abs_diff": mean(gap.map(Math.abs)),
    "rollout_corr/log_ppl_diff_max": Math.max(...gap),
    "rollout_corr/log_ppl_diff_min": Math.min(...gap),
    "rollout_corr/ppl_ratio": mean(gap.map(Math.exp)),
    "rollout_corr/chi2_token": mean(logRatio.map((value) => Math.exp(2 * value))) - 1,
    "rollout_corr/chi2_seq": mean(sequenceRatio.map((value) => Math.exp(2 * value))) - 1,
    "training/rollout_probs_diff_valid": 1,
    "training/rollout_probs_diff_mean": mean(difference),
    "training/rollout_probs_diff_max": difference.reduce((a, b) => Math.max(a, b), 0),
    "training/rollout_probs_diff_std": standardDeviation(difference),
    "training/rollout_actor_probs_pearson_corr": correlation(
      probability(rollout),
      probability(training),
    ),
  };
}

/**
 * Largest |engine − trainer| over all tokens that the trainer's weights sampled, `version`, or that no version is known of;
 * nats.
 */
export function largestLogprobDifference(
  samples: readonly RolloutSample[],
  trainer: Scores,
  version: number,
): number {
  let largest = 0;
  samples.forEach(({ sampled, versions }, i) => {
    sampled.forEach((value, k) => {
      if (versions[k] !== null && versions[k] !== version) return;
      largest = Math.max(largest, Math.abs(value - trainer.logProbabilities[i][k]));
    });
  });
  return largest;
}
