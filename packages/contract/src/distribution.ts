import { z } from "zod";
import { Int32 } from "#int32.ts";

/** What every rollout has a value of. `version_span`: newest minus oldest policy version of its tokens, 0 where one sampled all. */
export const Quantity = z.enum([
  "reward",
  "response_length",
  "turns",
  "version_span",
  "agent_s",
  "verify_s",
]);
export type Quantity = z.infer<typeof Quantity>;

export const ReadDistribution = z.object({
  runId: z.string().max(200),
  quantity: Quantity,
  /** Steps, both ends included. */
  range: z.tuple([Int32, Int32]).optional(),
  /** At most this many columns of steps; their edges are multiples of a power of two. */
  buckets: z.number().int().min(10).max(1000).default(200),
});
export type ReadDistribution = z.infer<typeof ReadDistribution>;

/**
 * How a value of the training rollouts spreads, step by step. `step`, `n`, `p10`, `median`, `p90` and `counts` have one entry
 * per bucket of steps; `counts[i]` has one number per bin, the lowest values first.
 */
export const Distribution = z.object({
  /** Width of a bucket in steps: a power of two. */
  bucketSteps: z.number().int(),
  /** Lower edge of the first bin and upper edge of the last, the same for all steps. */
  low: z.number(),
  high: z.number(),
  bins: z.number().int(),
  /** Last step of the bucket that has a rollout. */
  step: z.array(z.number().int()),
  /** Rollouts with a value. */
  n: z.array(z.number().int()),
  p10: z.array(z.number()),
  median: z.array(z.number()),
  p90: z.array(z.number()),
  counts: z.array(z.array(z.number().int())),
});
export type Distribution = z.infer<typeof Distribution>;
