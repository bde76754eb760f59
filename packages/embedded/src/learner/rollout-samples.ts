import type { RolloutResult } from "@liverl/contract/rollout";

/** One trainable segment of a rollout that has a reward. Lists run along `positions`. */
export interface RolloutSample {
  rolloutIndex: number;
  segmentId: number;
  ids: number[];
  positions: number[];
  /** Log-probs that the engine reported. */
  sampled: number[];
  /** Weight version that sampled each token; null where the engine did not tell. */
  versions: (number | null)[];
  /** Reward of its rollout. */
  reward: number;
  advantages: number[];
  /** What a value head learns; with a group's baseline the same as the advantages, as verl has it. */
  returns: number[];
}

/**
 * Advantages of one group by GRPO: reward minus the group's mean, over the sample standard deviation (n − 1) where
 * asked. Null for a rollout without a reward; all null where fewer than two have one, for there is nothing to compare.
 */
export function groupAdvantages(
  rewards: readonly (number | null)[],
  divideByStd: boolean,
): (number | null)[] {
  const known = rewards.filter((reward) => reward !== null);
  if (known.length < 2) return rewards.map(() => null);
  const mean = known.reduce((a, b) => a + b, 0) / known.length;
  const variance =
    known.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / (known.length - 1);
  const scale = divideByStd ? Math.sqrt(variance) + 1e-6 : 1;
  return rewards.map((reward) => (reward === null ? null : (reward - mean) / scale));
}

/** Trainable segments, in the order of the rollouts; a rollout whose advantage is null has none. Every token has its rollout's. */
export function rolloutSamples(
  rollouts: readonly RolloutResult[],
  advantages: readonly (number | null)[],
): RolloutSample[] {
  return rollouts.flatMap((rollout, rolloutIndex) => {
    const advantage = advantages[rolloutIndex];
    if (advantage === null) return [];
    return rollout.segments.flatMap((segment, place) => {
      if (!segment.trainable) return [];
      const positions: number[] = [];
      const sampled: number[] = [];
      const versions: (number | null)[] = [];
      segment.mask.forEach((mask, i) => {
        const logprob = segment.logprobs[i];
        if (mask !== 1 || i === 0 || logprob === null) return;
        positions.push(i - 1);
        sampled.push(logprob);
        versions.push(segment.policyVersions[i]);
      });
      if (positions.length === 0) return [];
      const constant = positions.map(() => advantage);
      return [
        {
          ...{ rolloutIndex, ids: segment.tokenIds, positions, sampled, versions },
          segmentId: segment.credit?.segmentId ?? place,
          ...{ reward: rollout.reward ?? 0, advantages: constant, returns: constant },
        },
      ];
    });
  });
}
