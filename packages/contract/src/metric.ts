import { z } from "zod";
import { Int32 } from "#int32.ts";
import { ProjectName, RunName } from "#run.ts";
import { EVALUATION_NAMES, TRAINER_NAMES } from "#trainer-names.ts";

/** Canonical key → keys under which sources log it, best first. Keys are stored as sent; this only helps to find them. */
export const METRIC_ALIASES = {
  "reward/mean": [
    ...["critic/rewards/mean", "critic/score/mean", "reward"],
    ...TRAINER_NAMES.reward,
  ],
  kl: ["actor/ppo_kl", ...TRAINER_NAMES.policyKl, "actor/kl_loss", ...TRAINER_NAMES.referenceKl],
  entropy: ["actor/entropy", "actor/entropy_loss", ...TRAINER_NAMES.entropy],
  "mfu/actor": ["perf/mfu/actor"],
  "idle_ratio/trainer": ["fully_async/trainer/idle_ratio", "trainer/idle_ratio"],
  "idle_ratio/rollouter": ["fully_async/rollouter/idle_ratio", "rollouter/idle_ratio"],
  "rollout_corr/kl": [...["rollout_corr/kl", "actor/rollout_corr/kl"]],
  partial_ratio: ["fully_async/partial/partial_ratio"],
  invalid_ratio: ["rollout/invalid_ratio"],
  "response_length/mean": ["response_length/mean", ...TRAINER_NAMES.responseLength],
} as const satisfies Record<string, readonly string[]>;

/** What only verl's fully_async logs (and the embedded trainer in that mode): its trainer moves on between weight syncs. */
export const STALE_SAMPLES = "fully_async/count/staleness_samples";

/** Who logs it measures agreement of engine and trainer over tokens of the same weights alone, and here says how many were of others. */
export const OTHER_WEIGHTS = "training/off_policy/token_ratio";

/**
 * The key of the in-run evaluation, which verl logs per data source as `val-core/<source>/…`; null where there is none.
 * Of several sources it is the first by name, part by part: `repair` comes before the `repair-final` of the run's end. Other
 * trainers' evaluations count where there is none of these.
 */
export function evaluationKey(keys: Iterable<string>): string | null {
  const byParts = (key: string) => key.replaceAll("/", "\0");
  const all = [...keys];
  let first: string | null = null;
  for (const key of all)
    if (key.startsWith("val-core/") && (first === null || byParts(key) < byParts(first)))
      first = key;
  if (first !== null) return first;
  const others = [...all].sort();
  for (const name of EVALUATION_NAMES) {
    const found = others.find((key) => name.test(key));
    if (found !== undefined) return found;
  }
  return null;
}

/** What the embedded trainer measures at a run's end, on tasks of their own. */
export const FINAL_EVALUATION_KEY = "val-core/liverl/repair-final/acc/mean@1";

/**
 * Beside an evaluation's key, the tasks that it was taken over: `val-aux/<source>/num_tasks`, under verl's prefix for what is told of
 * an evaluation and is no score.
 */
export function evaluationTasksKey(key: string): string {
  const [, source = ""] = /^val-core\/(.+)\/[^/]+\/[^/]+$/.exec(key) ?? [];
  return `val-aux/${source}/num_tasks`;
}

/** Series that LiveRL computes from the rollouts it ran, under its own prefix so that they never hide a trainer's key. */
export const COMPUTED_KEYS = {
  groupsNone: "group/none_solved_frac",
  groupsPart: "group/part_solved_frac",
  groupsAll: "group/all_solved_frac",
  zeroStd: "group/zero_std_frac",
  invalidRatio: "rollout/invalid_ratio",
  /** Share of rollouts whose agent itself failed. They have a reward, as the tests ran all the same. */
  agentErrors: "rollout/agent_error_ratio",
  turnsMean: "rollout/turns/mean",
  verifyS: "rollout/verify_s/mean",
  /** Over rollouts that have a reward and train: no stand-in moves it. */
  rewardMean: "rollout/reward/mean",
  /** Segments kept out of training because the trainer's mode takes one a rollout; of runs in such a mode. */
  singleOutput: "rollout/mode_single_output/sum",
  /** FLOPs of a step's updates over what all GPUs of the run could have done in its wall time, 0 to 1. */
  mfu: "mfu/end_to_end",
  /** Share of trained tokens whose expert routing the engine told; of runs with router replay. */
  routingCoverage: "rollout/routing_coverage/mean",
  /** Share of rollouts whose verifier failed, and so have no reward. */
  verifierErrors: "rollout/verifier_error_ratio",
  /** Share of rollouts with a sign that the reward was not earned. */
  integrity: "rollout/integrity_ratio",
  /** Of the step's tasks that no rollout solved when they came last, the share that all rollouts solve now. */
  taskJumps: "rollout/task_jump_ratio",
  /**
   * Of a step's answers that were given to the same task before, word for word, the share whose reward is another now. Of answers
   * without a patch nothing is known; a step with fewer than three such answers has no value.
   */
  contradicted: "rollout/contradicted_ratio",
  /** The same over the rollouts of an evaluation, at the step that it measures. */
  contradictedEval: "evaluation/contradicted_ratio",
  /** Newest weights that a step's rollouts were sampled with, where the engines tell. */
  weightVersion: "rollout/weight_version/max",
  /** Seconds of the step's slowest rollout over the median. */
  slowest: "rollout/slowest/ratio",
  /** Seconds of the step's slowest rollout, queue left out. */
  slowestS: "rollout/slowest/total_s",
  /** Share of rollouts that the run's trajectory filter keeps out of the update; of runs that have one. */
  filtered: "trajectory_filter/invalid_ratio",
  /** Share of the step's sampled tokens that did not train. */
  untrained: "rollout/untrained_token_ratio",
} as const;

/**
 * Before a reason's name: rollouts of a step that the run's trajectory filter dropped for it. A rollout counts for the first
 * of its reasons, so that the counts add up to all that were kept out; `no_reward` is for those that had none to train on.
 */
export const DROPPED_PREFIX = "trajectory_filter/dropped/";
export const NO_REWARD = "no_reward";

/** Before a reason's name: share of the step's sampled tokens that did not train for it. Only reasons that the step has are there. */
export const UNTRAINED_PREFIX = "rollout/untrained_token_ratio/";

/** Before an error's type: rollouts of a step that ended with it. Only types that the step has are there. */
export const ERROR_PREFIX = "rollout/error/";
/** Before the name of a sign: rollouts of a step that have it. */
export const INTEGRITY_PREFIX = "rollout/integrity/";
/** Parts of the slowest rollout's time: `rollout/slowest/generate_s`. */
export const SLOWEST_PREFIX = "rollout/slowest/";
export const SLOWEST_PHASES = ["setup", "generate", "tool", "verify"] as const;

export const MetricKey = z.object({
  key: z.string(),
  points: z.number().int(),
  last: z.number().nullable(),
  lastStep: z.number().int(),
});
export type MetricKey = z.infer<typeof MetricKey>;

export const ReadSeries = z.object({
  runId: z.string(),
  keys: z.array(z.string().max(300)).min(1).max(64),
  /** Steps, both ends included. */
  range: z.tuple([Int32, Int32]).optional(),
  /** At most this many buckets; their edges are multiples of a power of two. */
  buckets: z.number().int().min(10).max(4000).default(300),
});
export type ReadSeries = z.infer<typeof ReadSeries>;

/**
 * One series in buckets, columnar; all lists have the same length.
 * `step` and `value` are those of the last point in the bucket; a null value is NaN or ±Inf, told apart by `flag`.
 */
export const SeriesBuckets = z.object({
  key: z.string(),
  step: z.array(z.number()),
  value: z.array(z.number().nullable()),
  min: z.array(z.number().nullable()),
  max: z.array(z.number().nullable()),
  n: z.array(z.number().int()),
  /** 0 finite, 1 NaN, 2 +Inf, 3 −Inf: worst in the bucket. */
  flag: z.array(z.number().int()),
  /** Wall time of the last point, milliseconds since 1970. */
  wallMs: z.array(z.number()),
});
export type SeriesBuckets = z.infer<typeof SeriesBuckets>;

export const SeriesAnswer = z.object({
  /** Width of a bucket in steps: a power of two. */
  bucketSteps: z.number().int(),
  /** Pass it to the live stream to get all that came after this answer, once each. */
  cursor: z.string(),
  series: z.array(SeriesBuckets),
});
export type SeriesAnswer = z.infer<typeof SeriesAnswer>;

/** A live frame: new or changed points after `cursor`. A repeated step replaces the older value. */
export const MetricFrame = z.object({
  cursor: z.string(),
  series: z.record(
    z.string(),
    z.object({
      step: z.array(z.number()),
      value: z.array(z.number().nullable()),
      flag: z.array(z.number().int()),
      wallMs: z.array(z.number()),
    }),
  ),
});
export type MetricFrame = z.infer<typeof MetricFrame>;

export const WatchMetrics = z.object({
  runId: z.string(),
  /** From a SeriesAnswer or the last frame. Given as input, because a stream without an event id can not replay. */
  cursor: z.string(),
  lastEventId: z.string().nullish(),
});
export type WatchMetrics = z.infer<typeof WatchMetrics>;

/** Key under which trainers log the tokens of a step: their sum is the tokens axis. */
export const TOKENS_KEY = "perf/total_num_tokens";

/** Tokens trained on up to and with each step; lists of equal length. */
export const TokensBySteps = z.object({
  step: z.array(z.number().int()),
  total: z.array(z.number()),
});
export type TokensBySteps = z.infer<typeof TokensBySteps>;

export const EXPORT_FORMATS = ["csv", "json", "parquet"] as const;
/** Body of `POST /api/v1/runs/<run>/metrics/export`. Every point, not buckets of them. */
export const ExportMetrics = z.strictObject({
  format: z.enum(EXPORT_FORMATS),
  /** All of the run's where it is left out. */
  keys: z.array(z.string().min(1).max(300)).max(20_000).optional(),
  /** Steps, both ends included. */
  range: z.tuple([Int32, Int32]).optional(),
});
export type ExportMetrics = z.infer<typeof ExportMetrics>;

/** Bounds of one request that logs points, whichever protocol brings it. */
export const LOG_LIMITS = {
  bodyBytes: 16 * 1024 * 1024,
  points: 200_000,
  keyLength: 300,
  keysOfRun: 20_000,
} as const;

/**
 * Body of `POST /api/v1/metrics`. The run is found by project and name, and made by the first request that names it. Points come as
 * `rows: [{step, time?, values: {key: value}}]` or as `series: [{key, step: [], value: [], time?: []}]`, or both. A value is a number,
 * a boolean, or "NaN", "Infinity", "-Infinity"; null is NaN. `time` is in seconds since 1970, now where it is left out.
 */
export const LogMetrics = z.strictObject({
  project: ProjectName,
  run: RunName,
  /** Name of the request: repeating it, after a time-out say, changes nothing. */
  batch: z.string().min(1).max(200).optional(),
  rows: z.unknown().optional(),
  series: z.unknown().optional(),
  /** Replaces what was said before. */
  config: z.record(z.string(), z.unknown()).optional(),
  tags: z.array(z.string().min(1).max(200)).max(100).optional(),
  status: z.enum(["running", "succeeded", "stopped", "failed", "cancelled"]).optional(),
});
export type LogMetrics = z.infer<typeof LogMetrics>;
/** What it answers, once all points are on disk. */
export const LogMetricsAnswer = z.object({ runId: z.string(), points: z.number().int() });
