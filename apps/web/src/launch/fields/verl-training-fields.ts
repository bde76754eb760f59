import { VERL_MODES } from "@liverl/contract/verl-launch";
import {
  type LaunchSection,
  number,
  type ReadValue,
  select,
  toggle,
} from "#launch/fields/launch-field.ts";

const isMode =
  (...modes: string[]) =>
  (read: ReadValue) =>
    modes.includes(String(read("algorithm.trainer_mode")));
const isFullyAsync = isMode("fully_async");
const isSeparateAsync = isMode("separate_async");
const isV1Async = isMode("colocate_async", "separate_async");
const packsByTokens = (read: ReadValue) => read("batch.use_dynamic_bsz") === true;

export const ALGORITHM_SECTION: LaunchSection = {
  id: "algorithm",
  label: "Algorithm",
  note: "names as in verl",
  fields: [
    select("algorithm.trainer_mode", "Mode", VERL_MODES, "Which of verl's trainers runs."),
    select(
      "algorithm.adv_estimator",
      "Advantage",
      ["grpo", "gae", "rloo", "reinforce_plus_plus", "remax", "opo"],
      "grpo: against the mean of its group. gae: by a critic, which is PPO.",
    ),
    select(
      "algorithm.loss_mode",
      "Policy loss",
      ["vanilla", "gspo", "clip_cov", "kl_cov", "geo_mean", "cispo", "sapo"],
      "vanilla clips the ratio of each token, gspo that of the whole sequence.",
    ),
    select(
      "algorithm.rollout_is",
      "Importance sampling",
      ["token", "sequence"],
      "Corrects what engine and trainer give the same token.",
      { nullable: true, empty: "none" },
    ),
    toggle(
      "algorithm.bypass_mode",
      "Bypass",
      "Takes the engine's log-probs for the trainer's: saves a pass, and rollout_corr/kl is not measured.",
    ),
    number(
      "algorithm.clip_ratio_low",
      "Clip below",
      "The ratio may fall by this much before it is clipped.",
    ),
    number(
      "algorithm.clip_ratio_high",
      "Clip above",
      "The ratio may rise by this much before it is clipped.",
    ),
    toggle(
      "algorithm.use_kl_loss",
      "KL in the loss",
      "Adds the KL to the starting policy to the loss.",
    ),
    number("algorithm.kl_loss_coef", "KL coefficient", "Weight of that KL.", {
      matters: (read) => read("algorithm.use_kl_loss") === true,
    }),
    number(
      "algorithm.entropy_coeff",
      "Entropy coefficient",
      "Weight of the entropy bonus; 0 leaves it out.",
      {
        rare: true,
      },
    ),
    select(
      "algorithm.loss_agg_mode",
      "Loss averages by",
      [
        "token-mean",
        "token-sum",
        "seq-mean-token-sum",
        "seq-mean-token-mean",
        "seq-mean-token-sum-norm",
      ],
      "How the tokens' losses become one.",
      { matters: (read) => read("algorithm.loss_mode") === "gspo" },
    ),
    toggle(
      "algorithm.norm_adv_by_std_in_grpo",
      "Divide by group's σ",
      "Advantages over their group's deviation.",
      {
        rare: true,
      },
    ),
    number(
      "algorithm.rollout_is_threshold",
      "Largest weight",
      "Importance weights above this are cut.",
      {
        matters: (read) => read("algorithm.rollout_is") !== null,
      },
    ),
    number(
      "algorithm.clip_ratio_c",
      "Dual clip",
      "Bound of the loss where the advantage is negative.",
      {
        rare: true,
      },
    ),
    toggle("algorithm.use_kl_in_reward", "KL in the reward", "Takes the KL off the reward.", {
      rare: true,
    }),
    number("algorithm.gamma", "Discount", "γ of the critic's returns.", {
      matters: (read) => read("algorithm.adv_estimator") === "gae",
    }),
    number("algorithm.lam", "GAE λ", "λ of generalised advantage estimation.", {
      matters: (read) => read("algorithm.adv_estimator") === "gae",
    }),
  ],
};

export const ASYNC_SECTION: LaunchSection = {
  id: "async",
  label: "Asynchrony",
  note: "how far rollouts and updates may drift apart",
  fields: [
    number(
      "async.staleness_threshold",
      "Staleness threshold",
      "Weight versions that a rollout may be behind before engines wait; 0 is on-policy.",
      { matters: isFullyAsync },
    ),
    number(
      "async.trigger_parameter_sync_step",
      "Updates a version",
      "Local steps between two weight syncs.",
      {
        matters: isFullyAsync,
      },
    ),
    number(
      "async.require_batches",
      "Mini batches a fetch",
      "Mini batches that the trainer takes at once.",
      {
        matters: isFullyAsync,
      },
    ),
    toggle(
      "async.partial_rollout",
      "Partial rollouts",
      "A rollout that a weight sync cut off goes on with the new weights.",
      { matters: isFullyAsync },
    ),
    number("async.parameter_sync_step", "Updates a sync", "Updates between two weight syncs.", {
      matters: isSeparateAsync,
    }),
    number(
      "async.num_warmup_batches",
      "Batches ahead",
      "Batches that engines begin before the first update.",
      {
        matters: isV1Async,
      },
    ),
    number(
      "async.max_off_policy_threshold",
      "Most versions behind",
      "Samples older than this are left out.",
      {
        nullable: true,
        empty: "no limit",
        matters: isV1Async,
      },
    ),
    select(
      "async.max_off_policy_strategy",
      "Older samples",
      ["drop", "wait"],
      "What happens to them.",
      {
        matters: isV1Async,
      },
    ),
  ],
};

export const BATCH_SECTION: LaunchSection = {
  id: "batch",
  label: "Batch",
  fields: [
    number("batch.train_batch_size", "Prompts per step", "Tasks that one step takes."),
    number("batch.n", "Rollouts per prompt", "The size of a group."),
    number("batch.ppo_mini_batch_size", "Prompts per update", "Prompts of one optimizer step."),
    toggle(
      "batch.use_dynamic_bsz",
      "Pack by tokens",
      "Rows of one pass are packed up to a number of tokens.",
    ),
    number(
      "batch.ppo_max_token_len_per_gpu",
      "Tokens a pass",
      "Tokens that one GPU takes at a time.",
      {
        matters: packsByTokens,
      },
    ),
    number(
      "batch.ppo_micro_batch_size_per_gpu",
      "Rows a pass",
      "Rows that one GPU takes at a time.",
      {
        nullable: true,
        empty: "not set",
        matters: (read) => !packsByTokens(read),
      },
    ),
  ],
};

export const LENGTHS_SECTION: LaunchSection = {
  id: "lengths",
  label: "Lengths",
  fields: [
    number("lengths.max_prompt_length", "Prompt", "Tokens of the first prompt.", {
      unit: "tokens",
    }),
    number(
      "lengths.max_response_length",
      "Response",
      "Tokens of all turns, with what tools answer.",
      {
        unit: "tokens",
      },
    ),
    number("lengths.max_model_len", "Window", "The engine's window.", {
      unit: "tokens",
      nullable: true,
      empty: "prompt + response",
    }),
  ],
};

export const OPTIM_SECTION: LaunchSection = {
  id: "optim",
  label: "Optimiser",
  fields: [
    number("optim.lr", "Learning rate", "Adam's step size."),
    number(
      "optim.lr_warmup_steps",
      "Warm-up",
      "Steps until the learning rate is reached; -1 for none.",
      {
        unit: "steps",
      },
    ),
    number("optim.ppo_epochs", "Epochs per step", "Passes over the rollouts of one step."),
    number("optim.grad_clip", "Gradient clip", "Longest gradient norm of an update.", {
      rare: true,
    }),
    number("optim.weight_decay", "Weight decay", "Adam's.", { rare: true }),
  ],
};
