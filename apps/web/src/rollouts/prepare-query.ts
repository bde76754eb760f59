import type { RolloutMode, RolloutStatus } from "@liverl/contract/rollout";

export const OUTCOMES = ["any", "solved", "unsolved", "no-reward", "running"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface RolloutFilter {
  mode: "any" | RolloutMode;
  outcome: Outcome;
  step: number | null;
}

/** What the server is asked for a filter. `solved` is a reward of 1; without reward is a failed attempt, not a bad one. */
export function prepareQuery(filter: RolloutFilter): {
  mode?: RolloutMode;
  step?: number;
  status?: RolloutStatus;
  minReward?: number;
  maxReward?: number;
} {
  return {
    ...(filter.mode === "any" ? {} : { mode: filter.mode }),
    ...(filter.step === null ? {} : { step: filter.step }),
    ...OUTCOME_QUERIES[filter.outcome],
  };
}

const OUTCOME_QUERIES: Record<
  Outcome,
  { status?: RolloutStatus; minReward?: number; maxReward?: number }
> = {
  any: {},
  solved: { minReward: 1 },
  unsolved: { maxReward: 0.999_999 },
  "no-reward": { status: "failed" },
  running: { status: "running" },
};
