import { randomInt } from "node:crypto";
import { z } from "zod";
import type { GenerateJob } from "#engine/core/sequence.ts";
import { badRequest, EngineError, invalidRequest } from "#engine/http/engine-error.ts";
import type { ModelConfig } from "#model/architecture.ts";

export const MODEL_NAME = "liverl-embedded";
const MAX_LOGPROBS = 20;

const Sampling = z.looseObject({
  max_tokens: z.number().int().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  seed: z.number().int().nullish(),
  logprobs: z.number().int().nullish(),
  prompt_logprobs: z.number().int().nullish(),
  stop_token_ids: z.array(z.number().int()).nullish(),
  ignore_eos: z.boolean().nullish(),
  n: z.number().int().nullish(),
  stream_interval: z.number().int().min(1).nullish(),
});

/** vLLM's parameters that this engine does not implement, with the values that switch them off. */
const UNSUPPORTED: Record<string, readonly unknown[]> = {
  top_k: [0, -1],
  min_p: [0],
  repetition_penalty: [1],
  presence_penalty: [0],
  frequency_penalty: [0],
  min_tokens: [0],
  stop: [""],
  bad_words: [],
  logit_bias: [],
  allowed_token_ids: [],
};

function checkSupported(sampling: Record<string, unknown>): void {
  for (const [key, off] of Object.entries(UNSUPPORTED)) {
    const value = sampling[key];
    const isEmpty = value == null || (typeof value === "object" && Object.keys(value).length === 0);
    if (!isEmpty && !off.includes(value))
      throw badRequest(`The embedded engine does not support ${key}. (parameter=${key})`, key);
  }
}

const GenerateBody = z.looseObject({
  model: z.string().nullish(),
  request_id: z.string().min(1).max(200).nullish(),
  token_ids: z.array(z.number().int().nonnegative()).min(1),
  sampling_params: Sampling,
  stream: z.boolean().nullish(),
  return_token_ids: z.boolean().nullish(),
  cache_salt: z.string().min(1).nullish(),
});

const CompletionBody = Sampling.extend({
  model: z.string().nullish(),
  request_id: z.string().min(1).max(200).nullish(),
  prompt: z.union([z.string(), z.array(z.number().int().nonnegative())]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  return_token_ids: z.boolean().nullish(),
  cache_salt: z.string().min(1).nullish(),
});

export interface ParsedRequest {
  job: GenerateJob;
  isStream: boolean;
  returnTokenIds: boolean;
  wantsLogprobs: boolean;
  includeUsage: boolean;
  /** Tokens per chunk. */
  streamInterval: number;
}

function read<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalidRequest(["body", ...(issue?.path ?? [])].join("."), issue?.message ?? "invalid");
}

function checkModel(model: string | null | undefined): void {
  if (model == null || model === MODEL_NAME) return;
  throw new EngineError(
    404,
    "NotFoundError",
    `The model \`${model}\` does not exist. Valid aliases: ${MODEL_NAME}.`,
    "model",
  );
}

function checkLogprobs(sampling: z.infer<typeof Sampling>, isStream: boolean): void {
  for (const [key, word] of [
    ["logprobs", "sample"],
    ["prompt_logprobs", "prompt"],
  ] as const) {
    const count = sampling[key] ?? 0;
    if (count > MAX_LOGPROBS || count < 0) {
      throw badRequest(
        `Requested ${word} logprobs of ${count}, which is greater than max allowed: ${MAX_LOGPROBS} (parameter=${key}, value=${count})`,
        key,
      );
    }
    // Candidates beside the sampled token are not kept by this engine.
    if (count > 0)
      throw badRequest(
        `This engine reports the chosen token alone: ${key} must be 0. (parameter=${key}, value=${count})`,
        key,
      );
  }
  if (isStream && sampling.prompt_logprobs != null) {
    throw badRequest(
      "`prompt_logprobs` are not available when `stream=True`. (parameter=prompt_logprobs)",
      "prompt_logprobs",
    );
  }
  if ((sampling.n ?? 1) !== 1)
    throw badRequest("This engine answers one choice: n must be 1. (parameter=n)", "n");
}

function toJob(
  promptIds: number[],
  sampling: z.infer<typeof Sampling>,
  config: ModelConfig,
  defaults: { maxTokens: number; tooLong: (length: number, limit: number) => EngineError },
  ids: { requestId: string; cacheSalt: string },
): GenerateJob {
  checkSupported(sampling);
  const limit = config.max_position_embeddings;
  const unknown = promptIds.find((id) => id >= config.vocab_size);
  if (promptIds.length > limit) throw defaults.tooLong(promptIds.length, limit);
  if (unknown !== undefined) throw badRequest(`Token id ${unknown} is out of vocabulary`);
  const room = limit - promptIds.length;
  const asked = sampling.max_tokens ?? defaults.maxTokens;
  const maxTokens = Math.min(asked, room);
  if (maxTokens < 1)
    throw badRequest(
      `max_tokens must be at least 1, got ${maxTokens}. (parameter=max_tokens, value=${maxTokens})`,
      "max_tokens",
    );
  const temperature = sampling.temperature ?? 1;
  if (temperature < 0)
    throw badRequest(
      `temperature must be non-negative, got ${temperature}. (parameter=temperature, value=${temperature})`,
      "temperature",
    );
  const topP = sampling.top_p ?? 1;
  if (topP <= 0 || topP > 1)
    throw badRequest(
      `top_p must be in (0, 1], got ${topP}. (parameter=top_p, value=${topP})`,
      "top_p",
    );
  return {
    ...ids,
    promptIds,
    maxTokens,
    temperature,
    topP,
    seed: sampling.seed ?? randomInt(2 ** 32),
    stopIds: new Set(sampling.stop_token_ids ?? []),
    eosId: sampling.ignore_eos ? null : config.eos_token_id,
    wantsPromptLogprobs: sampling.prompt_logprobs != null,
  };
}

/** `POST /inference/v1/generate`. Throws {@link EngineError}. */
export function parseGenerate(
  body: unknown,
  config: ModelConfig,
  fallbackId: string,
): ParsedRequest {
  const request = read(GenerateBody, body);
  checkModel(request.model);
  const isStream = request.stream ?? false;
  checkLogprobs(request.sampling_params, isStream);
  const tooLong = (length: number, limit: number) =>
    badRequest(
      `The decoder prompt (length ${length}) is longer than the maximum model length of ${limit}. Make sure that \`max_model_len\` is no smaller than the number of text tokens.`,
    );
  const job = toJob(
    request.token_ids,
    request.sampling_params,
    config,
    { maxTokens: config.max_position_embeddings, tooLong },
    { requestId: request.request_id ?? fallbackId, cacheSalt: request.cache_salt ?? "" },
  );
  return {
    job,
    isStream,
    returnTokenIds: request.return_token_ids ?? false,
    wantsLogprobs: request.sampling_params.logprobs != null,
    streamInterval: request.sampling_params.stream_interval ?? 1,
    includeUsage: false,
  };
}

const DEFAULT_COMPLETION_TOKENS = 16;

/** `POST /v1/completions` with a prompt of token ids. Throws {@link EngineError}. */
export function parseCompletion(
  body: unknown,
  config: ModelConfig,
  fallbackId: string,
): ParsedRequest {
  const request = read(CompletionBody, body);
  checkModel(request.model);
  if (request.prompt == null || request.prompt === "") {
    throw badRequest(
      "Either prompt or prompt_embeds must be provided and non-empty. (parameter=prompt)",
      "prompt",
    );
  }
  if (typeof request.prompt === "string") {
    throw badRequest(
      "This engine takes token ids: give the prompt as a list of integers. (parameter=prompt)",
      "prompt",
    );
  }
  if (request.prompt.length === 0) throw badRequest("You must pass at least one prompt");
  const isStream = request.stream ?? false;
  checkLogprobs(request, isStream);
  const tooLong = (length: number, limit: number) =>
    badRequest(
      `This model's maximum context length is ${limit} tokens. However, your prompt contains ${length} input tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=${length})`,
      "input_tokens",
    );
  const job = toJob(
    request.prompt,
    request,
    config,
    { maxTokens: DEFAULT_COMPLETION_TOKENS, tooLong },
    { requestId: request.request_id ?? fallbackId, cacheSalt: request.cache_salt ?? "" },
  );
  return {
    job,
    isStream,
    returnTokenIds: request.return_token_ids ?? false,
    wantsLogprobs: request.logprobs != null,
    streamInterval: request.stream_interval ?? 1,
    includeUsage: request.stream_options?.include_usage ?? false,
  };
}
