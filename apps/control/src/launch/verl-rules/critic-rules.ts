import type { VerlSpec } from "@liverl/contract/verl-launch";
import { readOverride } from "#launch/effective-spec.ts";
import {
  type Finding,
  fail,
  largestDivisor,
  modelParallel,
  set,
  takeOut,
  trainerWorld,
  type VerlRule,
} from "#launch/verl-rules/verl-rule.ts";

/** The critic's batch sizes, each the actor's where no override says otherwise (trainer/config/critic/critic.yaml). */
interface Critic {
  mini: number;
  isDynamic: boolean;
  maxTokens: number;
  microPerGpu: number | null;
  /** The deprecated size of a pass over all GPUs. */
  micro: number | null;
  /** Where a value stands. */
  pathOf: (key: string, field: string) => string;
}

function criticOf(spec: VerlSpec): Critic {
  const { batch } = spec;
  const given = (key: string) => readOverride(spec, `critic.${key}`);
  const number = (key: string, otherwise: number) => {
    const value = given(key)?.value;
    return typeof value === "number" ? value : otherwise;
  };
  const orNull = (key: string, otherwise: number | null) => {
    const found = given(key);
    if (found === undefined) return otherwise;
    return typeof found.value === "number" ? found.value : null;
  };
  return {
    mini: number("ppo_mini_batch_size", batch.ppo_mini_batch_size),
    isDynamic: (given("use_dynamic_bsz")?.value ?? batch.use_dynamic_bsz) === true,
    maxTokens: number("ppo_max_token_len_per_gpu", batch.ppo_max_token_len_per_gpu),
    // Of a batch that is packed by tokens the critic is given no rows.
    microPerGpu: orNull(
      "ppo_micro_batch_size_per_gpu",
      batch.use_dynamic_bsz ? null : batch.ppo_micro_batch_size_per_gpu,
    ),
    micro: orNull("ppo_micro_batch_size", null),
    pathOf: (key, field) => given(key)?.path ?? field,
  };
}

const rule = (id: string, judge: (critic: Critic, spec: VerlSpec) => Finding | null): VerlRule => ({
  id,
  judge: (spec) => (spec.algorithm.adv_estimator === "gae" ? judge(criticOf(spec), spec) : null),
});
const MINI = ["ppo_mini_batch_size", "batch.ppo_mini_batch_size"] as const;

/** With `gae` a critic trains beside the actor; verl checks its sizes only in part, and late. */
export const CRITIC_RULES: readonly VerlRule[] = [
  rule("critic-mini-batch", ({ mini, pathOf }, { algorithm, batch }) => {
    const { train_batch_size } = batch;
    if (algorithm.trainer_mode === "fully_async") return null;
    if (mini > train_batch_size)
      return fail(
        "The critic's update takes more than a step has",
        `critic.ppo_mini_batch_size is ${mini}, a step has ${train_batch_size} prompts.`,
        { fix: set(pathOf(...MINI), train_batch_size) },
      );
    return train_batch_size % mini === 0
      ? null
      : fail(
          "A step does not divide into the critic's updates",
          `${train_batch_size} prompts by ${mini}: verl finds out only when it trains.`,
          { fix: set(pathOf(...MINI), largestDivisor(train_batch_size, mini)) },
        );
  }),
  rule("critic-mini-batch-ranks", ({ mini, pathOf }, spec) => {
    const ranks = Math.floor(trainerWorld(spec) / modelParallel(spec));
    const rows = mini * spec.batch.n;
    if (ranks < 1 || rows % ranks === 0) return null;
    return fail(
      "The critic's update does not divide by the ranks",
      `${mini} × ${spec.batch.n} = ${rows} rollouts over ${ranks} data-parallel ranks.`,
      { field: pathOf(...MINI) },
    );
  }),
  rule("critic-micro-batch", ({ isDynamic, micro, microPerGpu, pathOf }, { batch }) => {
    if (isDynamic) return null;
    if (micro !== null && microPerGpu !== null)
      return fail(
        "The critic's micro batch is given twice",
        "verl refuses critic.ppo_micro_batch_size beside critic.ppo_micro_batch_size_per_gpu; the first is deprecated.",
        { fix: takeOut(pathOf("ppo_micro_batch_size", "batch.ppo_micro_batch_size_per_gpu")) },
      );
    if (micro !== null || microPerGpu !== null) return null;
    const packs = pathOf("use_dynamic_bsz", "batch.use_dynamic_bsz");
    return fail(
      "Nothing says how much the critic takes at a time",
      "verl wants critic.ppo_micro_batch_size_per_gpu, or use_dynamic_bsz for the critic, too.",
      {
        fix:
          batch.use_dynamic_bsz && packs.startsWith("overrides.")
            ? takeOut(packs, undefined, "Pack by tokens, too")
            : set("overrides.critic.ppo_micro_batch_size_per_gpu", 1),
      },
    );
  }),
  rule("critic-micro-batch-divides", ({ isDynamic, micro, mini, pathOf }) =>
    isDynamic || micro === null || mini % micro === 0
      ? null
      : fail(
          "The critic's passes do not fill its update",
          `critic.ppo_micro_batch_size is ${micro}, critic.ppo_mini_batch_size ${mini}.`,
          {
            fix: set(
              pathOf("ppo_micro_batch_size", "batch.ppo_micro_batch_size_per_gpu"),
              largestDivisor(mini, micro),
            ),
          },
        ),
  ),
  rule("critic-tokens", ({ isDynamic, maxTokens, pathOf }, { engine, lengths }) => {
    const longest = lengths.max_prompt_length + lengths.max_response_length;
    if (!isDynamic || maxTokens * engine.sp_size >= longest) return null;
    return fail(
      "The critic's pass is shorter than the longest sequence",
      `critic.ppo_max_token_len_per_gpu × sp_size is ${maxTokens * engine.sp_size}, prompt and response reach ${longest}.`,
      {
        fix: set(
          pathOf("ppo_max_token_len_per_gpu", "batch.ppo_max_token_len_per_gpu"),
          Math.ceil(longest / engine.sp_size),
        ),
      },
    );
  }),
];
