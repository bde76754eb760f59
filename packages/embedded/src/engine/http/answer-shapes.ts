import type { SampledToken } from "#engine/core/sample-token.ts";
import type { FinishedJob, VersionedToken } from "#engine/core/sequence.ts";
import { MODEL_NAME, type ParsedRequest } from "#engine/http/parse-job.ts";
import type { TokenText } from "#tokenizer/token-text.ts";

/** Runs of equal versions as vLLM reports them: half-open, versions as text. */
export function weightVersionSpans(tokens: readonly VersionedToken[]) {
  const spans: { version: string; start: number; end: number }[] = [];
  tokens.forEach(({ version }, i) => {
    const last = spans.at(-1);
    if (last?.version === String(version)) last.end = i + 1;
    else spans.push({ version: String(version), start: i, end: i + 1 });
  });
  return spans;
}

export function usageOf(promptTokens: number, sampledTokens: number) {
  return {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + sampledTokens,
    completion_tokens: sampledTokens,
    prompt_tokens_details: null,
    completion_tokens_details: null,
  };
}

function promptLogprobs({ job }: ParsedRequest, scored: SampledToken[] | null, text: TokenText) {
  if (!scored) return null;
  const pieces = text.pieces(job.promptIds, { skipSpecial: false });
  return [
    null,
    ...scored.map(({ id, logprob, rank }, i) => ({
      [id]: { logprob, rank, decoded_token: pieces[i + 1] ?? "" },
    })),
  ];
}

/** One choice of `/inference/v1/generate`, whole or a chunk; `finished` on the last one. */
export function generateChoice(
  request: ParsedRequest,
  tokens: readonly VersionedToken[],
  finished: FinishedJob | null,
) {
  const content = tokens.map(({ id, logprob, rank }) => ({
    token_id: id,
    logprob,
    rank,
    top_logprobs: [{ token_id: id, logprob, rank }],
  }));
  return {
    index: 0,
    finish_reason: finished?.finishReason ?? null,
    stop_reason: finished?.stopReason ?? null,
    token_ids: tokens.map((token) => token.id),
    routed_experts: null,
    sampling_mask: null,
    weight_versions: finished ? weightVersionSpans(finished.tokens) : null,
    logprobs: request.wantsLogprobs ? { content } : null,
  };
}

export function generateAnswer(request: ParsedRequest, finished: FinishedJob, text: TokenText) {
  const { job, returnTokenIds } = request;
  return {
    request_id: `generate-tokens-${job.requestId}`,
    model: MODEL_NAME,
    created: Math.floor(Date.now() / 1000),
    usage: usageOf(job.promptIds.length, finished.tokens.length),
    prompt_logprobs: promptLogprobs(request, finished.promptLogprobs, text),
    prompt_token_id_logprobs: null,
    prompt_token_ids: returnTokenIds ? job.promptIds : null,
    mm_placeholders: null,
    metrics: null,
    kv_transfer_params: null,
    ec_transfer_params: null,
    output_mode: "tokens",
    choices: [generateChoice(request, finished.tokens, finished)],
  };
}

export function generateChunk(
  request: ParsedRequest,
  tokens: readonly VersionedToken[],
  finished: FinishedJob | null,
  isFirst: boolean,
) {
  return {
    request_id: `generate-tokens-${request.job.requestId}`,
    usage: null,
    ...(isFirst && request.returnTokenIds ? { prompt_token_ids: request.job.promptIds } : {}),
    output_mode: "tokens",
    choices: [generateChoice(request, tokens, finished)],
  };
}

/** The `text`, `logprobs` and `token_ids` of a completion's choice for tokens that start at character `textStart`. */
function completionChoice(
  request: ParsedRequest,
  tokens: readonly VersionedToken[],
  pieces: readonly string[],
  textStart: number,
) {
  const offsets: number[] = [];
  let at = textStart;
  for (const piece of pieces) {
    offsets.push(at);
    at += piece.length;
  }
  const logprobs = {
    text_offset: offsets,
    token_logprobs: tokens.map((token) => token.logprob),
    tokens: pieces,
    top_logprobs: tokens.map((token, i) => ({ [pieces[i] ?? ""]: token.logprob })),
  };
  return {
    index: 0,
    text: pieces.join(""),
    logprobs: request.wantsLogprobs ? logprobs : null,
    token_ids: request.returnTokenIds ? tokens.map((token) => token.id) : null,
  };
}

export function completionAnswer(request: ParsedRequest, finished: FinishedJob, text: TokenText) {
  const { job, returnTokenIds } = request;
  const pieces = text.pieces(
    finished.tokens.map((token) => token.id),
    { skipSpecial: true },
  );
  return {
    id: `cmpl-${job.requestId}`,
    object: "text_completion",
    created: Math.floor(Date.now() / 1000),
    model: MODEL_NAME,
    choices: [
      {
        ...completionChoice(request, finished.tokens, pieces, 0),
        finish_reason: finished.finishReason,
        stop_reason: finished.stopReason,
        prompt_logprobs: promptLogprobs(request, finished.promptLogprobs, text),
        prompt_token_ids: returnTokenIds ? job.promptIds : null,
        routed_experts: null,
      },
    ],
    service_tier: null,
    system_fingerprint: null,
    usage: usageOf(job.promptIds.length, finished.tokens.length),
    kv_transfer_params: null,
    ec_transfer_params: null,
    metrics: null,
  };
}

/** A chunk of a streamed completion. `pieces` are the texts of `tokens`; they start at character `textStart` of the answer. */
export function completionChunk(
  request: ParsedRequest,
  tokens: readonly VersionedToken[],
  finished: FinishedJob | null,
  isFirst: boolean,
  { pieces, textStart }: { pieces: readonly string[]; textStart: number },
) {
  const { job, returnTokenIds } = request;
  return {
    id: `cmpl-${job.requestId}`,
    object: "text_completion",
    created: Math.floor(Date.now() / 1000),
    model: MODEL_NAME,
    choices: [
      {
        ...completionChoice(request, tokens, pieces, textStart),
        finish_reason: finished?.finishReason ?? null,
        stop_reason: finished?.stopReason ?? null,
        prompt_token_ids: isFirst && returnTokenIds ? job.promptIds : null,
      },
    ],
  };
}
