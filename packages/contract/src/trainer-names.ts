import { z } from "zod";
import { ProjectName } from "#run.ts";

/**
 * Canonical metric → names of other trainers, read off their sources, best first. A name is here only where it means the same
 * quantity in the same unit: see docs/metric-names.md.
 */
export const TRAINER_NAMES = {
  reward: [
    "rollout/raw_reward", // slime, miles
    "reward/avg_raw_reward", // SkyRL
    "reward/all/mean", // prime-rl
    "reward/mean", // prime-rl, trlX
    "ppo_actor/task_reward/avg", // AReaL
    "rollout/reward", // AReaL
    "objective/scores", // TRL's PPO
    "train/reward", // TRL, OpenRLHF, NeMo-RL, ms-swift
    "reward/overall", // EasyR1
  ],
  /** Of the policy from the one that sampled. */
  policyKl: [
    "train/ppo_kl", // slime, OpenRLHF
    "actor/approxkl", // ROLL
    "policy/approxkl_avg", // TRL's PPO
    "ppo_actor/update/approx_kl/avg", // AReaL
  ],
  /** Of the policy from the reference. */
  referenceKl: [
    "train/kl", // TRL, OpenRLHF, ms-swift
    "train/kl_loss", // slime
    "rollout/kl", // slime
    "policy/policy_kl", // SkyRL
    "loss/avg_kl", // SkyRL
    "train/kl_penalty", // NeMo-RL
    "objective/kl", // TRL's PPO
    "kl",
  ],
  entropy: [
    "train/entropy", // TRL, ms-swift
    "train/entropy_loss", // slime, OpenRLHF: the entropy itself
    "policy/policy_entropy", // SkyRL
    "entropy/all/mean", // prime-rl
    "entropy/mean", // prime-rl
    "train/approx_entropy", // NeMo-RL
    "critic/entropy/mean", // ROLL
    "ppo_actor/update/entropy/avg", // AReaL
    "policy/entropy_avg", // TRL's PPO
    "entropy",
  ],
  responseLength: [
    "rollout/response_len/mean", // slime, miles
    "train/completions/mean_length", // TRL, ms-swift
    "train/response_length", // OpenRLHF
    "generate/avg_num_tokens", // SkyRL
    "train/mean_gen_tokens_per_sample", // NeMo-RL
    "tokens/response_length/mean", // ROLL
    "completion_len/all/mean", // prime-rl
    "completions/mean_length",
  ],
} as const satisfies Record<string, readonly string[]>;

/** Keys that verdicts read under verl's name alone → names of other trainers, best first. */
export const VERL_KEY_NAMES = {
  "actor/grad_norm": [
    "train/grad_norm", // TRL, slime, NeMo-RL, ms-swift
    "train/actor_grad_norm", // OpenRLHF
    "optim/grad_norm", // prime-rl
    "policy/raw_grad_norm", // SkyRL
    "policy/grad_norm", // SkyRL
    "actor_train/grad_norm", // ROLL
    "ppo_actor/update/grad_norm", // AReaL
    "grad_norm",
  ],
  "actor/pg_loss": [
    "train/pg_loss", // slime
    "train/policy_loss", // OpenRLHF, TRL
    "policy/policy_loss", // SkyRL
    "loss/policy_avg", // TRL's PPO
    "ppo_actor/update/actor_loss/avg", // AReaL
  ],
  "actor/loss": [
    "train/loss", // TRL, slime, NeMo-RL, ms-swift
    "loss/mean", // prime-rl
    "policy/final_loss", // SkyRL
    "actor/total_loss", // ROLL
    "ppo_actor/update/loss/avg", // AReaL
    "loss",
  ],
  "critic/vf_loss": [
    "train/value_loss", // slime
    "train/critic_loss", // OpenRLHF
    "critic/critic_loss", // SkyRL
    "critic/loss", // ROLL
    "loss/value_avg", // TRL's PPO
  ],
  "response_length/clip_ratio": [
    "rollout/truncated_ratio", // slime, miles
    "train/completions/clipped_ratio", // TRL, ms-swift
    "is_truncated/all/mean", // prime-rl
    "is_truncated/mean", // prime-rl
    "completions/clipped_ratio",
  ],
  // Of the trainer from the engines, by the k3 estimate.
  "rollout_corr/k3_kl": [
    "mismatch_kl/all/mean", // prime-rl
    "mismatch_kl/mean", // prime-rl
    "train/gen_kl_error", // NeMo-RL
  ],
  "timing_s/step": [
    "perf/step_time", // slime, miles
    "time/step", // prime-rl
    "timing/step", // SkyRL
    "train/timing/step_total", // OpenRLHF
    "timing/train/total_step_time", // NeMo-RL
    "time/step_total", // ROLL
    "train/step_time", // TRL
  ],
  "group/zero_std_frac": [
    "train/frac_reward_zero_std", // TRL
    "frac_reward_zero_std",
  ],
} as const satisfies Record<string, readonly string[]>;

/** prime-rl's training reward has the names of environment and agent in its key. */
export const REWARD_PATTERN = /^train\/(?:.+\/)?effective\/[^/]+\/reward\/mean$/;

/** Metrics that a project can name itself, and the key of verl under which they are judged. */
export const CANONICAL_KEYS = {
  reward: "critic/rewards/mean",
  kl: "actor/ppo_kl",
  entropy: "actor/entropy",
  "grad-norm": "actor/grad_norm",
  loss: "actor/loss",
  "response-length": "response_length/mean",
  "truncated-ratio": "response_length/clip_ratio",
  "step-time": "timing_s/step",
  "mismatch-kl": "rollout_corr/k3_kl",
  // By its space it goes before every evaluation that verl logs.
  "held-out-reward": "val-core/ chosen/reward/mean@1",
} as const;
export const CanonicalMetric = z.enum(
  Object.keys(CANONICAL_KEYS) as [keyof typeof CANONICAL_KEYS, ...(keyof typeof CANONICAL_KEYS)[]],
);
export type CanonicalMetric = z.infer<typeof CanonicalMetric>;

/** "This is my reward": the key under which runs of a project log a metric. It goes before every name that LiveRL knows. */
export const SetMetricName = z.strictObject({
  project: ProjectName,
  metric: CanonicalMetric,
  key: z.string().min(1).max(300),
});
export type SetMetricName = z.infer<typeof SetMetricName>;
export const ResetMetricName = z.strictObject({ project: ProjectName, metric: CanonicalMetric });
export type ResetMetricName = z.infer<typeof ResetMetricName>;

export const MetricNameView = z.object({
  metric: CanonicalMetric,
  /** Null: the first of the known names that a run logs. */
  key: z.string().nullable(),
  known: z.array(z.string()),
  actor: z.string().nullable(),
  changedAt: z.string().nullable(),
});
export type MetricNameView = z.infer<typeof MetricNameView>;

/** In-run evaluations of trainers other than verl, best first. */
export const EVALUATION_NAMES: readonly RegExp[] = [
  /^eval\/all\/avg_score$/, // SkyRL
  /^eval-rollout\/reward$/, // AReaL
  /^validation\/accuracy$/, // NeMo-RL
  /^val_correct\/all\/mean$/, // ROLL
  /^val\/score\/mean$/, // ROLL
  /^eval\/reward$/, // TRL, ms-swift
  /^eval_reward$/,
  /^eval\/.+\/avg@\d+$/, // prime-rl
  /^eval\/[^/]+_pass1$/, // OpenRLHF
  // slime and miles name it after its data set, beside measures of the same evaluation.
  /^eval\/(?!(?:step|loss|epoch|runtime|global_step|kl|entropy|num_tokens|reward_std)$)[^/]+(?<!_ratio|_runtime|per_second|_len|_length|_time|_std|_tokens)$/,
];

/** A loss, a norm of a gradient or a reward by its name: a sound run always has a number for it. */
export const MUST_BE_FINITE =
  "(^|[/._])(loss|[a-z_]+_loss|[a-z_]*grad_?norm|reward|[a-z_]+_reward)(/all)?(/(mean|avg))?$";
