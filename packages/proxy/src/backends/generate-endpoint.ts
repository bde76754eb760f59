import { GenerateResponse } from "@liverl/contract/engine-api";
import { z } from "zod";
import type { TokenEndpoint } from "#backends/token-endpoint.ts";

const Scored = z.looseObject({ prompt_logprobs: z.unknown() });

/** vLLM's `POST /inference/v1/generate`, as the embedded engine serves it, too: tells versions token by token. */
export const GENERATE_ENDPOINT: TokenEndpoint = {
  path: "/inference/v1/generate",
  abortPath: "/inference/v1/abort_requests",
  engineId: (requestId) => `generate-tokens-${requestId}`,

  turnBody: ({ requestId, prompt, sampling, cacheSalt }) =>
    prompt.jsonBetween(
      `{"request_id":${JSON.stringify(requestId)},"token_ids":[`,
      `],"sampling_params":${JSON.stringify(sampling)},"stream":true,"cache_salt":${JSON.stringify(cacheSalt)}}`,
    ),

  readChunk: (event) => {
    const [choice] = GenerateResponse.parse(event).choices;
    if (!choice) return { ids: [], logprobs: [], finishReason: null, versions: null };
    const logprobs = choice.logprobs?.content ?? [];
    return {
      ids: choice.token_ids,
      logprobs: choice.token_ids.map((_, i) => logprobs[i]?.logprob ?? null),
      finishReason: choice.finish_reason,
      versions: choice.weight_versions ?? null,
      routedExperts: choice.routed_experts ?? null,
    };
  },

  scoreBody: (prompt, { requestId, temperature }) =>
    prompt.jsonBetween(
      `{"request_id":${JSON.stringify(requestId)},"token_ids":[`,
      `],"sampling_params":${JSON.stringify({ max_tokens: 1, temperature, prompt_logprobs: 0 })},"stream":false}`,
    ),

  readScores: (answer) => Scored.parse(answer).prompt_logprobs ?? null,
};
