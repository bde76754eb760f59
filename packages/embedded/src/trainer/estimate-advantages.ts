import type { EmbeddedSpec } from "@liverl/contract/launch";
import type { RolloutResult } from "@liverl/contract/rollout";
import { generalisedAdvantages, whiten } from "#learner/generalised-advantages.ts";
import { groupAdvantages, type RolloutSample, rolloutSamples } from "#learner/rollout-samples.ts";
import { isFilteredOut } from "#trainer/trajectory-filter.ts";

/** Rewards of rollouts as far as they train: null for those without one and those that the filter keeps out. */
function trainingRewards(rollouts: readonly RolloutResult[], spec: EmbeddedSpec) {
  return rollouts.map((rollout) =>
    isFilteredOut(rollout, spec.trajectory_filter) ? null : rollout.reward,
  );
}

/** Samples of some groups of rollouts with GRPO's advantages; with `gae` their advantages come later, by {@link estimateByValues}. */
export function samplesOf(
  groups: readonly (readonly RolloutResult[])[],
  spec: EmbeddedSpec,
): RolloutSample[] {
  const { adv_estimator, norm_adv_by_std_in_grpo } = spec.algorithm;
  const advantages = groups.flatMap((group) => {
    const rewards = trainingRewards(group, spec);
    return adv_estimator === "gae" ? rewards : groupAdvantages(rewards, norm_adv_by_std_in_grpo);
  });
  return rolloutSamples(groups.flat(), advantages);
}

/** The samples with advantages and returns by a value head's estimates, whitened over all tokens. */
export function estimateByValues(
  samples: readonly RolloutSample[],
  values: readonly (readonly number[])[],
  discount: { gamma: number; lam: number },
): RolloutSample[] {
  const estimates = samples.map(({ reward }, i) =>
    generalisedAdvantages(values[i], reward, discount),
  );
  const advantages = whiten(estimates.map((estimate) => estimate.advantages));
  return samples.map((sample, i) => ({
    ...sample,
    advantages: advantages[i],
    returns: estimates[i].returns,
  }));
}
