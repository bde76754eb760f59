import {
  COMPARING_ESTIMATORS,
  DROP_REASONS,
  SINGLE_OUTPUT_MODES,
} from "@liverl/contract/verl-launch";
import { readOverride } from "#launch/effective-spec.ts";
import { fail, pass, set, type VerlRule, warn } from "#launch/verl-rules/verl-rule.ts";

/** GSPO's ratio is that of whole sequences, so its clip range is this small (arXiv 2507.18071, §5.1). */
const GSPO_CLIP = { low: 3e-4, high: 4e-4, most: 1e-2 };

/** verl's RL examples train all weights with 1e-6 and LoRA with 1e-6 to 3e-5; both leave room for an order of magnitude or two. */
const USUAL_LR = { full: 1e-6, lora: 1e-5, max: { full: 1e-4, lora: 1e-3 }, min: 1e-9 };

export const ALGORITHM_RULES: readonly VerlRule[] = [
  {
    id: "learning-rate",
    judge: (spec) => {
      const rank = readOverride(spec, "actor_rollout_ref.model.lora_rank")?.value;
      const kind = typeof rank === "number" && rank > 0 ? "lora" : "full";
      const usual = USUAL_LR[kind];
      const place = { fix: set("optim.lr", usual) };
      const { lr } = spec.optim;
      if (lr > USUAL_LR.max[kind])
        return warn(
          "Learning rate is very high",
          `${lr} is ${Math.round(lr / usual)} times the usual ${usual}: the policy will probably collapse.`,
          place,
        );
      if (lr < USUAL_LR.min)
        return warn(
          "Learning rate is very low",
          `${lr} is far below the usual ${usual}: the policy will hardly change.`,
          place,
        );
      return pass("Learning rate", `${lr} for ${kind === "lora" ? "LoRA" : "all weights"}.`, {
        field: "optim.lr",
      });
    },
  },
  {
    id: "mode-single-output",
    judge: ({ algorithm }) =>
      SINGLE_OUTPUT_MODES.includes(algorithm.trainer_mode)
        ? warn(
            "One row a rollout",
            `${algorithm.trainer_mode} takes one sequence of each rollout: of an agent that forks or compacts its context, the main line trains and the others are only kept. sync, colocate_async and separate_async take all.`,
            { field: "algorithm.trainer_mode" },
          )
        : pass("Mode", `${algorithm.trainer_mode} trains every path of a rollout.`, {
            field: "algorithm.trainer_mode",
          }),
  },
  {
    id: "stand-ins",
    judge: (spec) => {
      if (!SINGLE_OUTPUT_MODES.includes(spec.algorithm.trainer_mode)) return null;
      const own = readOverride(spec, "algorithm.adv_estimator");
      const name = String(own?.value ?? spec.algorithm.adv_estimator);
      if (name === "remax")
        return warn(
          "A failed greedy rollout counts as a reward of 0",
          `ReMax takes a reward against that of one greedy rollout of the prompt; where that one fails, ${spec.algorithm.trainer_mode} has nothing better.`,
          { fix: set(own?.path ?? "algorithm.adv_estimator", "grpo") },
        );
      if (own === undefined || !COMPARING_ESTIMATORS.includes(name)) return null;
      return warn(
        "Failed rollouts move their siblings' advantages",
        `${spec.algorithm.trainer_mode} gets a stand-in for a rollout that failed, and ${name} counts it as a reward of 0. Its twin liverl_${name} leaves it out.`,
        { fix: set(own.path, `liverl_${name}`) },
      );
    },
  },
  {
    id: "estimator-of-mode",
    judge: ({ algorithm }) => {
      const { adv_estimator, trainer_mode } = algorithm;
      if (SINGLE_OUTPUT_MODES.includes(trainer_mode)) return null;
      if (adv_estimator === "remax")
        return fail(
          "ReMax has no baseline here",
          `verl's ${trainer_mode} makes no greedy rollouts; only v0, one_step_off and fully_async do.`,
          { fix: set("algorithm.adv_estimator", "grpo") },
        );
      return adv_estimator === "rloo" || adv_estimator === "opo"
        ? warn(
            "Each path of a rollout counts as a rollout",
            `Of an agent that forks or compacts its context ${trainer_mode} trains every path, and verl's ${adv_estimator} takes each for a sibling; with grpo it takes rollouts.`,
            { fix: set("algorithm.adv_estimator", "grpo") },
          )
        : null;
    },
  },
  {
    id: "bypass-unmeasured",
    judge: ({ algorithm }) =>
      algorithm.bypass_mode
        ? warn(
            "rollout_corr/kl is not measured",
            "bypass_mode takes the engine's log-probs for the trainer's: what the two differ by, and the entropy, are not computed.",
            { fix: set("algorithm.bypass_mode", false, "Measure") },
          )
        : pass("Engine against trainer", "rollout_corr/kl is measured each step.", {
            field: "algorithm.bypass_mode",
          }),
  },
  {
    id: "bypass-loss",
    judge: ({ algorithm }) =>
      algorithm.bypass_mode &&
      algorithm.loss_mode !== "vanilla" &&
      SINGLE_OUTPUT_MODES.includes(algorithm.trainer_mode)
        ? fail(
            `bypass_mode puts its own loss in place of ${algorithm.loss_mode}`,
            `In ${algorithm.trainer_mode} verl sets loss_mode to bypass_mode, which is PPO's clipping.`,
            { fix: set("algorithm.bypass_mode", false, `Train with ${algorithm.loss_mode}`) },
          )
        : null,
  },
  {
    id: "bypass-importance-sampling",
    judge: ({ algorithm }) =>
      algorithm.bypass_mode && algorithm.rollout_is !== null
        ? warn(
            "rollout_is has no effect",
            "With bypass_mode the clipped ratio is against the engine already; verl applies no importance weights.",
            { fix: set("algorithm.rollout_is", null, "Leave it out") },
          )
        : null,
  },
  {
    id: "gspo-aggregation",
    judge: ({ algorithm }) =>
      algorithm.loss_mode === "gspo" && algorithm.loss_agg_mode !== "seq-mean-token-mean"
        ? warn(
            "GSPO averages by sequence",
            `With ${algorithm.loss_agg_mode} long responses weigh more than the paper has them.`,
            { fix: set("algorithm.loss_agg_mode", "seq-mean-token-mean", "By sequence") },
          )
        : null,
  },
  {
    id: "gspo-clip",
    judge: ({ algorithm }) =>
      algorithm.loss_mode === "gspo" && algorithm.clip_ratio_high > GSPO_CLIP.most
        ? warn(
            "The clip range is one for tokens",
            `GSPO's ratio of whole sequences moves by ${GSPO_CLIP.low} to ${GSPO_CLIP.high}; at ${algorithm.clip_ratio_high} nothing is ever clipped.`,
            {
              fix: set(
                "algorithm.clip_ratio_high",
                GSPO_CLIP.high,
                `Set above to ${GSPO_CLIP.high}`,
              ),
            },
          )
        : null,
  },
  {
    id: "clip-order",
    judge: ({ algorithm }) =>
      algorithm.clip_ratio_low > algorithm.clip_ratio_high
        ? warn(
            "Clips more upwards than downwards",
            `${algorithm.clip_ratio_low} below and ${algorithm.clip_ratio_high} above: a policy so clipped loses its entropy.`,
            { fix: set("algorithm.clip_ratio_high", algorithm.clip_ratio_low) },
          )
        : null,
  },
  {
    id: "kl-twice",
    judge: ({ algorithm }) =>
      algorithm.use_kl_loss && algorithm.use_kl_in_reward
        ? warn("KL counts twice", "It is in the loss and in the reward.", {
            fix: set("algorithm.use_kl_in_reward", false, "In the loss alone"),
          })
        : null,
  },
  {
    id: "staleness",
    judge: ({ algorithm, async }) =>
      algorithm.trainer_mode === "fully_async" && async.staleness_threshold > 1
        ? warn(
            "Rollouts may be more than a version old",
            `staleness_threshold ${async.staleness_threshold}: 0 is on-policy, up to 1 costs little.`,
            { fix: set("async.staleness_threshold", 1) },
          )
        : null,
  },
  {
    id: "filter-groups",
    judge: (spec) => {
      if (readOverride(spec, "algorithm.filter_groups.enable")?.value !== true) return null;
      const metric = readOverride(spec, "algorithm.filter_groups.metric");
      if (metric === undefined || metric.value !== null) return null;
      return fail(
        "Groups are filtered by nothing",
        "algorithm.filter_groups.enable wants a metric; `reward` is the raw reward.",
        { fix: set(metric.path, "reward") },
      );
    },
  },
  {
    id: "filter-unknown",
    judge: ({ trajectory_filter: { enable, drop_reasons } }) => {
      const unknown = drop_reasons.filter(
        (name) => !DROP_REASONS.includes(name.replaceAll("_", "-")),
      );
      if (!enable || unknown.length === 0) return null;
      const known = drop_reasons.filter((name) => !unknown.includes(name));
      return fail(
        `There is no reason ${unknown.join(", ")}`,
        `A rollout is dropped for one of ${DROP_REASONS.join(", ")}.`,
        { fix: set("trajectory_filter.drop_reasons", known, "Keep those that are known") },
      );
    },
  },
  {
    id: "filter-reasons",
    judge: ({ trajectory_filter }) =>
      trajectory_filter.enable && trajectory_filter.drop_reasons.length === 0
        ? warn(
            "The filter drops nothing",
            "trajectory_filter is on and has no reason to drop by.",
            {
              fix: set("trajectory_filter.enable", false, "Turn it off"),
            },
          )
        : null,
  },
];
