import type { Rewards } from "#tasks/parse-reward.ts";

/**
 * The reward of a trial of several steps, as Harbor gives it; null where none has one. `steps` are those that ran, null for
 * one without a reward. `mean`: by name over the steps that have rewards, a name that a step lacks counts as 0. `final`: the
 * last step's.
 */
export function combineStepRewards(
  strategy: "mean" | "final",
  steps: readonly (Rewards | null)[],
): Rewards | null {
  if (strategy === "final") return steps.at(-1) ?? null;
  const rewarded = steps.filter((rewards) => rewards !== null);
  const names = new Set(rewarded.flatMap((rewards) => Object.keys(rewards)));
  if (names.size === 0) return null;
  const meanOf = (name: string) =>
    rewarded.reduce(
      (sum, rewards) => sum + (Object.hasOwn(rewards, name) ? (rewards[name] ?? 0) : 0),
      0,
    ) / rewarded.length;
  return Object.fromEntries([...names].map((name) => [name, meanOf(name)]));
}

/** Which of a step's least rewards was missed, for people; null when none was, and the next step may run. */
export function missedMinReward(
  rewards: Rewards | null,
  minRewards: Readonly<Record<string, number>> | null,
): string | null {
  for (const [name, least] of Object.entries(minRewards ?? {})) {
    const actual = rewards && Object.hasOwn(rewards, name) ? rewards[name] : undefined;
    if (actual === undefined) return `${name} is missing, at least ${least} was needed`;
    if (actual < least) return `${name} is ${actual}, at least ${least} was needed`;
  }
  return null;
}
