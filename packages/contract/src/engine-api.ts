import { z } from "zod";
import { SAMPLING_OPTIONS } from "#rollout.ts";

/**
 * The slice of vLLM's HTTP API that the proxy speaks and the embedded engine serves
 * (vLLM 0.32 `POST /inference/v1/generate`: token ids in; ids, log-probs and weight versions out).
 */
export const GenerateRequest = z.object({
  request_id: z.string().optional(),
  token_ids: z.array(z.number().int()),
  sampling_params: z.looseObject({
    max_tokens: z.number().int(),
    temperature: z.number().optional(),
    top_p: z.number().optional(),
    seed: z.number().int().nullable().optional(),
    ...SAMPLING_OPTIONS,
    logprobs: z.number().int().optional(),
    prompt_logprobs: z.number().int().optional(),
    stop_token_ids: z.array(z.number().int()).optional(),
    /** Tokens per chunk of a stream; the first one comes at once. */
    stream_interval: z.number().int().positive().optional(),
    /** Expert routing is told from this prompt token on, by engines that were started to tell it. */
    routed_experts_prompt_start: z.number().int().nonnegative().optional(),
  }),
  stream: z.boolean().optional(),
  return_token_ids: z.boolean().optional(),
  cache_salt: z.string().min(1).optional(),
});
export type GenerateRequest = z.infer<typeof GenerateRequest>;

/** `[start, end)` of a choice's sampled ids that one weight version produced. Versions are strings in vLLM. */
export const WeightVersionSpan = z.object({
  version: z.string(),
  start: z.number().int(),
  end: z.number().int(),
});
export type WeightVersionSpan = z.infer<typeof WeightVersionSpan>;

/** As engines hold them: 32 bits. */
const TokenId = z.int32().nonnegative();

export const TokenLogprob = z.object({
  token_id: z.number().int().optional(),
  logprob: z.number().nullish(),
});

export const GenerateChoice = z.object({
  index: z.number().int(),
  finish_reason: z.string().nullable(),
  stop_reason: z.union([z.string(), z.number()]).nullable().optional(),
  token_ids: z.array(TokenId),
  weight_versions: z.array(WeightVersionSpan).nullable().optional(),
  logprobs: z.object({ content: z.array(TokenLogprob) }).nullish(),
  /** Base64 of a `.npy`: a row `[layers, experts]` for each token but the last, from `routed_experts_prompt_start` on. */
  routed_experts: z.string().nullish(),
});

/** Whole answer, or one chunk of a stream (`data: …` lines, then `data: [DONE]`). */
export const GenerateResponse = z.object({
  request_id: z.string(),
  choices: z.array(GenerateChoice),
  prompt_token_ids: z.array(z.number().int()).nullable().optional(),
});
export type GenerateResponse = z.infer<typeof GenerateResponse>;

/** `POST /update_weights`. `mode` says what happens to running requests: vLLM's pause modes. */
export const UpdateWeights = z.object({
  update_info: z.object({
    path: z.string(),
    version: z.number().int().nonnegative(),
    mode: z.enum(["abort", "keep", "wait"]).default("keep"),
  }),
});
export type UpdateWeights = z.infer<typeof UpdateWeights>;

/** One line of an engine's own log, appended before the answer leaves: what an audit reads. */
export const EngineLogRecord = z.object({
  requestId: z.string(),
  promptIds: z.array(z.number().int()),
  ids: z.array(z.number().int()),
  logprobs: z.array(z.number()),
  /** Version per sampled token. */
  versions: z.array(z.number().int()),
  finishReason: z.string(),
  at: z.string(),
});
export type EngineLogRecord = z.infer<typeof EngineLogRecord>;
