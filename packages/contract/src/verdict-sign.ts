import { z } from "zod";

/** Every sign that a verdict can name, in words for lists of them. */
export const VERDICT_SIGNS = {
  "boot-stall": "The start hangs",
  stall: "No news from the trainer",
  "weight-sync": "A weight sync corrupts",
  "verifier-zero": "Every reward is 0 at once",
  "verifier-all": "Every rollout is rewarded at once",
  "verifier-errors": "The verifier fails",
  "task-jump": "Unsolved tasks are solved all at once",
  "reward-drop": "Reward drops at one step",
  "reward-falls": "Reward is falling",
  "reward-flat": "Reward does not rise",
  "reward-hacking": "Reward rises, held-out falls",
  "held-out-falls": "Held-out reward falls",
  integrity: "Rewards that may not be earned",
  "zero-std-groups": "Most groups teach nothing",
  "groups-solved": "Most groups are solved",
  "rollout-mismatch": "Rollout and trainer disagree",
  "rollout-kl": "KL between rollout and trainer is high",
  "is-mean": "Importance weights are off",
  "is-std": "Importance weights spread wide",
  "is-ess": "Few samples carry the gradient",
  "chi2-token": "χ² of the importance weights is high",
  "entropy-collapse": "Entropy has collapsed",
  "entropy-explosion": "Entropy explodes",
  "kl-nan": "KL is not finite",
  "kl-spike": "KL of the update spiked",
  "kl-drift": "KL rises and reward does not",
  "grad-norm-nan": "Gradient norm is not finite",
  "grad-norm-spike": "Gradient norm spiked",
  staleness: "Rollouts are stale",
  "invalid-rollouts": "Rollouts end without a reward",
  "agent-errors": "Agents end with an error",
  truncated: "Answers are cut",
  "length-explosion": "Answers grow and earn nothing",
  "routing-coverage": "Router replay misses tokens",
  crashes: "The trainer was restarted",
  "bad-start": "The first steps look wrong",
  stragglers: "The slowest rollouts hold the step",
  "idle-imbalance": "One side waits for the other",
  "mfu-low": "The update uses little of the hardware",
} as const satisfies Record<string, string>;

export const VerdictSign = z.enum(
  Object.keys(VERDICT_SIGNS) as [keyof typeof VERDICT_SIGNS, ...(keyof typeof VERDICT_SIGNS)[]],
);
export type VerdictSign = z.infer<typeof VerdictSign>;
