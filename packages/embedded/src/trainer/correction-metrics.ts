import { OTHER_WEIGHTS } from "@liverl/contract/metric";
import type { Scores } from "#learner/learner.ts";
import type { RolloutSample } from "#learner/rollout-samples.ts";
import { correlation, mean, standardDeviation } from "#trainer/summarize.ts";

/** What of some samples may be compared: whose weights scored them, and which version those were. */
export interface Scored {
  samples: readonly RolloutSample[];
  scores: Scores;
  /** The version that scored; null where an update has moved the policy on from every version that engines have. */
  version: number | null;
}

/**
 * Whether engine and trainer agree, under verl's names of `debug/metrics`: over tokens that were sampled with the very weights that
 * score them. Tokens of other weights differ because the policy has moved, which is no fault: theirs has a name of its own.
 */
export function agreementMetrics(scored: readonly Scored[]): Record<string, number> {
  const same: [rollout: number, trainer: number][] = [];
  const other: [rollout: number, trainer: number][] = [];
  for (const { samples, scores, version } of scored)
    samples.forEach(({ sampled, versions }, i) => {
      sampled.forEach((logProb, k) => {
        const isSame = isOf(versions[k], version);
        (isSame ? same : other).push([Math.exp(logProb), Math.exp(scores.logProbabilities[i][k])]);
      });
    });
  const total = same.length + other.length;
  if (total === 0) return {};
  return {
    [OTHER_WEIGHTS]: other.length / total,
    ...(other.length > 0 && {
      "training/off_policy/probs_diff_mean": mean(other.map(distance)),
    }),
    ...agreement(same),
  };
}

/** Of tokens that no version is known of, the engines' weights are taken to be the trainer's. */
const isOf = (sampledBy: number | null, version: number | null) =>
  version !== null && (sampledBy === null || sampledBy === version);

const distance = ([rollout, trainer]: readonly [number, number]) => Math.abs(rollout - trainer);

function agreement(pairs: readonly (readonly [number, number])[]): Record<string, number> {
  if (pairs.length === 0) return { "training/rollout_probs_diff_valid": 0 };
  const distances = pairs.map(distance);
  return {
    "training/rollout_probs_diff_valid": 1,
    "training/rollout_probs_diff_mean": mean(distances),
    "training/rollout_probs_diff_max": distances.reduce((a, b) => Math.max(a, b), 0),
    "training/rollout_probs_diff_std": standardDeviation(distances),
    "training/rollout_actor_probs_pearson_corr": correlation(
      pairs.map(([rollout]) => rollout),
      pairs.map(([, trainer]) => trainer),
    ),
  };
}

/**
 * How far the engine's log-probs are from the trainer's own, under the names and formulas of verl's
 * `rollout_corr_helper`: π is the trainer, μ the rollout engine, sums run over all sampled tokens, those of older weights, too.
 */
export function correctionMetrics(
  samples: readonly RolloutSample[],
  trainer: Scores,
): Record<string, number> {
  const rollout = samples.flatMap(({ sampled }) => sampled);
  const training = samples.flatMap((_, i) => [...trainer.logProbabilities[i]]);
  if (rollout.length === 0) return {};
  const logRatio = training.map((value, i) => value - rollout[i]);
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
      if (!isOf(versions[k], version)) return;
      largest = Math.max(largest, Math.abs(value - trainer.logProbabilities[i][k]));
    });
  });
  return largest;
}
