import { readOverride } from "#launch/effective-spec.ts";
import {
  fail,
  largestDivisor,
  modelParallel,
  pass,
  set,
  trainerWorld,
  type VerlRule,
  warn,
} from "#launch/verl-rules/verl-rule.ts";

/** Estimators that compare the rollouts of a prompt with each other. */
const GROUPED = ["grpo", "rloo", "opo"];
/** A batch that only shows that the parts work. */
const SMOKE_ROLLOUTS = 32;

export const BATCH_RULES: readonly VerlRule[] = [
  {
    id: "group-size",
    judge: ({ algorithm, batch }) => {
      if (!GROUPED.includes(algorithm.adv_estimator)) return null;
      if (batch.n === 1)
        return fail(
          "A group of one has nothing to compare with",
          `${algorithm.adv_estimator} takes a reward against the mean of its prompt's rollouts; verl does not check this.`,
          { fix: set("batch.n", 8) },
        );
      if (batch.n < 4)
        return warn(
          "Groups are very small",
          `With ${batch.n} rollouts a prompt most groups have equal rewards, and those teach nothing.`,
          { fix: set("batch.n", 8) },
        );
      return pass("Group size", `${batch.n} rollouts a prompt are compared with each other.`, {
        field: "batch.n",
      });
    },
  },
  {
    id: "smoke-batch",
    judge: ({ batch, algorithm }) =>
      algorithm.trainer_mode !== "fully_async" && batch.train_batch_size * batch.n <= SMOKE_ROLLOUTS
        ? warn(
            "A batch for a smoke test",
            `${batch.train_batch_size} × ${batch.n} shows that all parts work; its gradients are too noisy to judge learning by.`,
            { field: "batch.train_batch_size" },
          )
        : null,
  },
  {
    id: "micro-batch",
    judge: ({ batch }) => {
      if (batch.use_dynamic_bsz || batch.ppo_micro_batch_size_per_gpu !== null) return null;
      return fail(
        "Nothing says how much a GPU takes at a time",
        "verl wants ppo_micro_batch_size_per_gpu, or use_dynamic_bsz, which packs rows by their tokens.",
        {
          field: "batch.ppo_micro_batch_size_per_gpu",
          fix: set("batch.use_dynamic_bsz", true, "Pack by tokens"),
        },
      );
    },
  },
  {
    id: "micro-batch-twice",
    judge: (spec) => {
      const old = readOverride(spec, "actor_rollout_ref.actor.ppo_micro_batch_size");
      if (old === undefined || old.value === null) return null;
      if (spec.batch.use_dynamic_bsz || spec.batch.ppo_micro_batch_size_per_gpu === null)
        return null;
      return fail(
        "Micro batch is given twice",
        "verl refuses ppo_micro_batch_size beside ppo_micro_batch_size_per_gpu; the first is deprecated.",
        { fix: set(old.path, null, "Clear it") },
      );
    },
  },
  {
    id: "micro-batch-old",
    judge: (spec) => {
      const old = readOverride(spec, "actor_rollout_ref.actor.ppo_micro_batch_size");
      if (typeof old?.value !== "number" || spec.batch.use_dynamic_bsz) return null;
      if (spec.batch.ppo_micro_batch_size_per_gpu !== null) return null;
      const world = trainerWorld(spec);
      if (
        spec.batch.ppo_mini_batch_size % old.value === 0 &&
        old.value * spec.engine.sp_size >= world
      )
        return null;
      return fail(
        "The deprecated micro batch does not fit",
        `ppo_micro_batch_size must divide ppo_mini_batch_size (${spec.batch.ppo_mini_batch_size}) and, times sp_size, reach the ${world} GPUs.`,
        { fix: set("batch.ppo_micro_batch_size_per_gpu", 1, "Use 1 a GPU"), field: old.path },
      );
    },
  },
  {
    id: "log-prob-micro-batch",
    judge: (spec) => {
      if (spec.batch.use_dynamic_bsz) return null;
      for (const part of ["rollout", "ref"]) {
        const found = readOverride(
          spec,
          `actor_rollout_ref.${part}.log_prob_micro_batch_size_per_gpu`,
        );
        if (found?.value === null)
          return fail(
            `No micro batch for the log-probs of ${part}`,
            "Without use_dynamic_bsz verl wants log_prob_micro_batch_size_per_gpu.",
            { fix: set(found.path, 1) },
          );
      }
      return null;
    },
  },
  {
    id: "dynamic-both",
    judge: (spec) => {
      const found = readOverride(spec, "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz");
      if (found === undefined || found.value === spec.batch.use_dynamic_bsz) return null;
      return fail(
        "Packing by tokens differs between update and log-probs",
        "verl wants actor.use_dynamic_bsz and rollout.log_prob_use_dynamic_bsz equal.",
        { fix: set(found.path, spec.batch.use_dynamic_bsz) },
      );
    },
  },
  {
    id: "dynamic-tokens",
    judge: ({ batch, engine, lengths }) => {
      if (!batch.use_dynamic_bsz) return null;
      const longest = lengths.max_prompt_length + lengths.max_response_length;
      const room = batch.ppo_max_token_len_per_gpu * engine.sp_size;
      if (room >= longest)
        return pass("Tokens of a pass", `${room} hold the longest sequence, ${longest}.`, {
          field: "batch.ppo_max_token_len_per_gpu",
        });
      return fail(
        "A pass is shorter than the longest sequence",
        `ppo_max_token_len_per_gpu × sp_size is ${room}, prompt and response reach ${longest}; verl stops at the first that is longer.`,
        { fix: set("batch.ppo_max_token_len_per_gpu", Math.ceil(longest / engine.sp_size)) },
      );
    },
  },
  {
    id: "batch-divides",
    judge: (spec) => {
      const { batch, engine, algorithm } = spec;
      // fully_async takes no batch at a time, and never runs this check.
      if (batch.use_dynamic_bsz || algorithm.trainer_mode === "fully_async") return null;
      const world = trainerWorld(spec);
      const ranks =
        engine.name === "megatron"
          ? Math.max(1, Math.floor(world / modelParallel(spec))) *
            (batch.ppo_micro_batch_size_per_gpu ?? 1)
          : world;
      const rollouts = batch.train_batch_size * batch.n;
      if (rollouts % ranks === 0)
        return pass("Batch", `${rollouts} rollouts divide by ${ranks} ranks.`, {
          field: "batch.train_batch_size",
        });
      return fail(
        "The batch does not divide by the ranks",
        `${batch.train_batch_size} × ${batch.n} = ${rollouts} rollouts over ${ranks}.`,
        {
          fix: set("batch.train_batch_size", Math.ceil(batch.train_batch_size / ranks) * ranks),
        },
      );
    },
  },
  {
    id: "mini-batch-fits",
    judge: ({ batch, algorithm }) => {
      if (algorithm.trainer_mode === "fully_async") return null;
      if (batch.ppo_mini_batch_size <= batch.train_batch_size) return null;
      return fail(
        "An update takes more prompts than a step has",
        `ppo_mini_batch_size is ${batch.ppo_mini_batch_size}, train_batch_size ${batch.train_batch_size}. Both count prompts.`,
        { fix: set("batch.ppo_mini_batch_size", batch.train_batch_size) },
      );
    },
  },
  {
    id: "mini-batch-divides",
    judge: ({ batch, algorithm }) => {
      const { train_batch_size, ppo_mini_batch_size } = batch;
      if (algorithm.trainer_mode === "fully_async" || ppo_mini_batch_size > train_batch_size)
        return null;
      if (train_batch_size % ppo_mini_batch_size === 0)
        return pass(
          "Updates of a step",
          `${train_batch_size / ppo_mini_batch_size} of ${ppo_mini_batch_size} prompts.`,
          { field: "batch.ppo_mini_batch_size" },
        );
      return fail(
        "A step does not divide into updates",
        `${train_batch_size} prompts by ${ppo_mini_batch_size}: verl finds out only when it trains.`,
        {
          fix: set(
            "batch.ppo_mini_batch_size",
            largestDivisor(train_batch_size, ppo_mini_batch_size),
          ),
        },
      );
    },
  },
  {
    id: "mini-batch-ranks",
    judge: (spec) => {
      const { batch } = spec;
      const ranks = Math.floor(trainerWorld(spec) / modelParallel(spec));
      const rows = batch.ppo_mini_batch_size * batch.n;
      if (ranks < 1 || rows % ranks === 0) return null;
      return fail(
        "An update does not divide by the ranks",
        `${batch.ppo_mini_batch_size} × ${batch.n} = ${rows} rollouts over ${ranks} data-parallel ranks.`,
        { field: "batch.ppo_mini_batch_size" },
      );
    },
  },
  {
    id: "separate-async-batch",
    judge: ({ batch, algorithm, async }) => {
      if (algorithm.trainer_mode !== "separate_async") return null;
      const wanted = async.parameter_sync_step * batch.ppo_mini_batch_size;
      if (batch.train_batch_size === wanted) return null;
      return fail(
        "separate_async wants one update a weight sync step",
        `train_batch_size (${batch.train_batch_size}) must be parameter_sync_step × ppo_mini_batch_size = ${wanted}.`,
        { fix: set("batch.train_batch_size", wanted) },
      );
    },
  },
  {
    id: "fully-async-batch",
    judge: ({ batch, algorithm, async }) => {
      if (algorithm.trainer_mode !== "fully_async") return null;
      const wanted =
        batch.ppo_mini_batch_size * async.require_batches * async.trigger_parameter_sync_step;
      const sum = `${batch.ppo_mini_batch_size} × ${async.require_batches} × ${async.trigger_parameter_sync_step} = ${wanted}`;
      if (batch.train_batch_size === wanted)
        return pass(
          "Prompts of a version",
          `ppo_mini_batch_size × require_batches × trigger_parameter_sync_step: ${sum}.`,
          { field: "batch.train_batch_size" },
        );
      return warn(
        "fully_async does not use train_batch_size",
        `A weight version takes ppo_mini_batch_size × require_batches × trigger_parameter_sync_step prompts: ${sum}, not ${batch.train_batch_size}.`,
        { fix: set("batch.train_batch_size", wanted) },
      );
    },
  },
  {
    id: "in-flight",
    judge: ({ batch, rollout }) => {
      const rollouts = batch.train_batch_size * batch.n;
      if (rollout.concurrency * 8 >= rollouts) return null;
      return warn(
        "Few rollouts at once",
        `${rollouts} a step with ${rollout.concurrency} in flight go through more than eight waves.`,
        { fix: set("rollout.concurrency", Math.min(100_000, Math.ceil(rollouts / 4))) },
      );
    },
  },
];
