import { z } from "zod";
import { PoolEngine } from "#proxy-admin.ts";
import { SAMPLING_OPTIONS } from "#rollout.ts";

/**
 * The engines of a pool, or one by its address. `keyPath`: the file with its API key; null where it needs none. `address`: the
 * checked IP address of the url's host, which is the one that is connected to.
 */
export const AskedEngine = z.union([
  z.strictObject({ poolId: z.string() }),
  PoolEngine.extend({
    keyPath: z.string().nullable(),
    address: z.union([z.ipv4(), z.ipv6()]).optional(),
  }).strict(),
]);
export type AskedEngine = z.infer<typeof AskedEngine>;

/** Names a request in the engine's log: no session's looks like it. */
const RequestName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/);
const TokenIds = z.array(z.int32().nonnegative()).min(1);

/** What an engine is told; `max_tokens` counts sampled tokens, `temperature` 0 takes the likeliest. */
export const ExactSampling = z.strictObject({
  max_tokens: z.number().int().positive(),
  temperature: z.number().nonnegative(),
  top_p: z.number().positive().max(1),
  seed: z.number().int().nonnegative(),
  stop_token_ids: z.array(z.number().int().nonnegative()),
  ...SAMPLING_OPTIONS,
});
export type ExactSampling = z.infer<typeof ExactSampling>;

/**
 * `POST /sample` on the proxy's admin port: one completion of exactly these ids, outside of every session. Nothing of it is
 * recorded by the proxy, so nothing of it can train. A client that goes away ends it.
 */
export const SampleOutside = z.strictObject({
  engine: AskedEngine,
  /** Requests are `<name>-<k>`: several where a weight sync broke in. */
  name: RequestName,
  /** Completions that name the same share an engine's prefix cache. */
  cacheSalt: RequestName,
  promptIds: TokenIds,
  sampling: ExactSampling,
});
export type SampleOutside = z.infer<typeof SampleOutside>;

/** Lists of equal length; log-probs in nats, of the distribution that was sampled from. */
export const SampledOutside = z.object({
  tokenIds: z.array(z.number().int()),
  logprobs: z.array(z.number()),
  policyVersions: z.array(z.number().int().nullable()),
  stopReason: z.enum(["stop", "length"]),
  requestIds: z.array(z.string()),
  /** What is not as it should be with it; null for nothing. */
  flaw: z.string().nullable(),
});
export type SampledOutside = z.infer<typeof SampledOutside>;

/** `POST /score` likewise: what an engine gives for tokens that are there already, from position `from` on. */
export const ScoreOutside = z.strictObject({
  engine: AskedEngine,
  name: RequestName,
  promptIds: TokenIds,
  from: z.number().int().positive(),
  temperature: z.number().positive(),
});
export type ScoreOutside = z.infer<typeof ScoreOutside>;

export const ScoredOutside = z.object({
  /** Nats, one for each token from `from` on; null where the engine gave none. */
  logprobs: z.array(z.number().nullable()),
  /** The version that gave them; null where it is not known. */
  version: z.number().int().nullable(),
});
export type ScoredOutside = z.infer<typeof ScoredOutside>;
