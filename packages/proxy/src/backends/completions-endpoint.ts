import { z } from "zod";
import { EngineRefusal, type EngineTurn } from "#backends/inference-backend.ts";
import type { TokenEndpoint } from "#backends/token-endpoint.ts";

const Choice = z.looseObject({
  finish_reason: z.string().nullish(),
  token_ids: z.array(z.int32().nonnegative()).nullish(),
  prompt_token_ids: z.array(z.number().int()).nullish(),
  logprobs: z
    .looseObject({
      tokens: z.array(z.string()).nullish(),
      token_logprobs: z.array(z.number().nullable()).nullish(),
    })
    .nullish(),
});
const Completion = z.looseObject({ choices: z.array(Choice) });
const Scored = z.looseObject({ choices: z.array(z.looseObject({ prompt_logprobs: z.unknown() })) });

/** vLLM's `POST /v1/completions` with a prompt of ids: there without any flag, and silent about versions. */
export const COMPLETIONS_ENDPOINT: TokenEndpoint = {
  path: "/v1/completions",
  // Mounted in vLLM's development mode alone: elsewhere a request is ended by closing its connection.
  abortPath: "/abort_requests",
  engineId: (requestId) => `cmpl-${requestId}-0`,

  turnBody: ({ requestId, prompt, sampling, cacheSalt }) => {
    const rest = {
      ...sampling,
      logprobs: 0,
      stream: true,
      cache_salt: cacheSalt,
      return_token_ids: true,
      return_tokens_as_token_ids: true,
      skip_special_tokens: false,
      add_special_tokens: false,
    };
    return prompt.jsonBetween(
      `{"request_id":${JSON.stringify(requestId)},"prompt":[`,
      `],${JSON.stringify(rest).slice(1)}`,
    );
  },

  readChunk: (event, turn) => {
    const [choice] = Completion.parse(event).choices;
    if (!choice) return { ids: [], logprobs: [], finishReason: null, versions: null };
    checkPrompt(choice.prompt_token_ids, turn);
    const ids = choice.token_ids ?? idsOfNames(choice.logprobs?.tokens ?? []);
    const logprobs = choice.logprobs?.token_logprobs ?? [];
    return {
      ids,
      logprobs: ids.map((_, i) => logprobs[i] ?? null),
      finishReason: choice.finish_reason ?? null,
      versions: null,
    };
  },

  scoreBody: (prompt, { requestId, temperature }) =>
    prompt.jsonBetween(
      `{"request_id":${JSON.stringify(requestId)},"prompt":[`,
      `],${JSON.stringify({ max_tokens: 1, temperature, prompt_logprobs: 0, add_special_tokens: false, stream: false }).slice(1)}`,
    ),

  readScores: (answer) => Scored.parse(answer).choices[0]?.prompt_logprobs ?? null,
};

/** An engine that adds or drops ids of the prompt would make every recorded token wrong. */
function checkPrompt(seen: readonly number[] | null | undefined, { prompt }: EngineTurn): void {
  if (!seen) return;
  const sent = prompt.ids();
  if (seen.length !== sent.length || seen.some((id, i) => id !== sent[i]))
    throw new EngineRefusal(
      502,
      `the engine read another prompt (${seen.length} tokens) than it was sent (${sent.length})`,
    );
}

/** `token_id:5` is an id, too; a token's text is none. */
function idsOfNames(names: readonly string[]): number[] {
  return names.map((name) => {
    const id = /^token_id:(\d+)$/.exec(name)?.[1];
    if (id === undefined)
      throw new EngineRefusal(
        501,
        "the engine gives no token ids: use vLLM 0.10.2 or later, which knows return_token_ids",
      );
    return Number(id);
  });
}
