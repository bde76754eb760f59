import type { OverrideValue } from "@liverl/contract/override-value";
import type { VerlMode } from "@liverl/contract/verl-launch";
import { readOverride } from "#launch/effective-spec.ts";
import { fail, set, type VerlRule } from "#launch/verl-rules/verl-rule.ts";

interface Demand {
  id: string;
  modes: readonly VerlMode[];
  key: string;
  /** The one value that works; the driver writes it, an override may not change it. */
  value: OverrideValue;
  why: string;
}

/** What these trainers assert of their config when they start (fully_async_rollouter.py, trainer_separate_async.py). */
const DEMANDS: readonly Demand[] = [
  {
    id: "fully-async-hybrid",
    modes: ["fully_async", "one_step_off"],
    key: "actor_rollout_ref.hybrid_engine",
    value: false,
    why: "Trainer and engines are apart.",
  },
  {
    id: "fully-async-train-batch",
    modes: ["fully_async"],
    key: "data.train_batch_size",
    value: 0,
    why: "Samples stream one by one; the batch of a version is ppo_mini_batch_size × require_batches × trigger_parameter_sync_step.",
  },
  {
    id: "fully-async-gen-batch",
    modes: ["fully_async"],
    key: "data.gen_batch_size",
    value: 1,
    why: "Samples stream one by one.",
  },
  {
    id: "fully-async-log-probs",
    modes: ["fully_async"],
    key: "actor_rollout_ref.rollout.calculate_log_probs",
    value: true,
    why: "The trainer uses the engines' log-probs.",
  },
  {
    id: "fully-async-multi-turn",
    modes: ["fully_async"],
    key: "actor_rollout_ref.rollout.multi_turn.enable",
    value: true,
    why: "Without it fully_async replaces LiveRL's agent loop by single_turn_agent.",
  },
];

export const FULLY_ASYNC_RULES: readonly VerlRule[] = [
  ...DEMANDS.map(
    ({ id, modes, key, value, why }): VerlRule => ({
      id,
      judge: (spec) => {
        const found = readOverride(spec, key);
        const { trainer_mode } = spec.algorithm;
        if (!modes.includes(trainer_mode) || found === undefined || found.value === value)
          return null;
        return fail(`${trainer_mode} wants ${key}=${String(value)}`, why, {
          fix: set(found.path, typeof value === "object" ? null : value),
        });
      },
    }),
  ),
  {
    id: "weight-sync-backend",
    judge: (spec) => {
      const { trainer_mode } = spec.algorithm;
      const found = readOverride(spec, "actor_rollout_ref.rollout.checkpoint_engine.backend");
      const isApart = trainer_mode === "separate_async" || trainer_mode === "fully_async";
      return isApart && found?.value === "naive"
        ? fail(
            "Weights can not travel by the naive backend",
            `${trainer_mode} sends them to other GPUs: nccl, nixl or mooncake.`,
            { fix: set(found.path, "nccl") },
          )
        : null;
    },
  },
  {
    id: "reward-model-pool",
    judge: (spec) => {
      const { trainer_mode } = spec.algorithm;
      if (trainer_mode !== "separate_async" && trainer_mode !== "fully_async") return null;
      if (readOverride(spec, "reward.reward_model.enable")?.value !== true) return null;
      const pool = readOverride(spec, "reward.reward_model.enable_resource_pool");
      return pool?.value === true
        ? null
        : fail(
            "A reward model needs GPUs of its own here",
            "The engines never pause, so there is no moment at which it could have theirs.",
            {
              fix: set(
                pool?.path ?? "overrides.reward.reward_model.enable_resource_pool",
                true,
                "Give it a pool",
              ),
            },
          );
    },
  },
  {
    id: "filter-streaming-reward",
    judge: (spec) => {
      if (readOverride(spec, "algorithm.filter_groups.enable")?.value !== true) return null;
      if (readOverride(spec, "reward.reward_model.enable")?.value !== true) return null;
      const pool = readOverride(spec, "reward.reward_model.enable_resource_pool");
      return pool?.value === true
        ? null
        : fail(
            "Groups are filtered before their rewards are known",
            "A reward model that shares the trainer's GPUs scores only after the filter.",
            {
              fix: set(
                pool?.path ?? "overrides.reward.reward_model.enable_resource_pool",
                true,
                "Give it a pool",
              ),
            },
          );
    },
  },
  {
    id: "hdfs-checkpoints",
    judge: (spec) => {
      const found = readOverride(spec, "trainer.default_hdfs_dir");
      return spec.algorithm.trainer_mode === "fully_async" &&
        found !== undefined &&
        found.value !== null
        ? fail(
            "fully_async can not load from HDFS",
            "It raises NotImplementedError when it resumes.",
            { fix: set(found.path, null, "Keep them on disk") },
          )
        : null;
    },
  },
  {
    id: "one-step-off-dumps",
    judge: (spec) => {
      if (spec.algorithm.trainer_mode !== "one_step_off") return null;
      for (const key of ["trainer.rollout_data_dir", "trainer.validation_data_dir"]) {
        const found = readOverride(spec, key);
        if (found !== undefined && found.value !== null)
          return fail(
            "one_step_off can not dump rollouts",
            `verl 0.9.1 dies with "no attribute '_dump_executor'" when ${key} is set. LiveRL keeps every rollout itself.`,
            { fix: set(found.path, null, "Leave it out") },
          );
      }
      return null;
    },
  },
];
