import { WeightVersionSpan } from "@liverl/contract/engine-api";
import { z } from "zod";
import {
  asAway,
  EngineHttp,
  type EngineReach,
  parsePythonJson,
  readAnswer,
} from "#backends/engine-http.ts";
import {
  EngineAway,
  EngineRefusal,
  type EngineTurn,
  type GenerateChunk,
  type InferenceBackend,
} from "#backends/inference-backend.ts";
import type { TokenPrompt } from "#backends/token-prompt.ts";
import { VersionWatch } from "#backends/version-watch.ts";

/** `[log-prob, id, text or null]` */
const Scored = z.tuple([z.number().nullable(), z.number().int()], z.unknown());
const Event = z.looseObject({
  meta_info: z.looseObject({
    completion_tokens: z.number().int(),
    finish_reason: z
      .looseObject({
        type: z.string(),
        message: z.string().nullish(),
        status_code: z.number().nullish(),
      })
      .nullable(),
    output_token_logprobs: z.array(Scored).nullish(),
    weight_version: z.string().nullish(),
    /** Newer servers tell spans, as vLLM does. */
    weight_versions: z.array(WeightVersionSpan).nullish(),
  }),
});
const Prefilled = z.looseObject({
  meta_info: z.looseObject({ input_token_logprobs: z.array(Scored) }),
});

/**
 * sglang's native `POST /generate` with `input_ids`. Written after its source (`managers/tokenizer_manager.py`,
 * `managers/io_struct.py`, `entrypoints/http_server.py`); no real sglang has been run against it.
 */
export class SglangApi implements InferenceBackend {
  readonly #http: EngineHttp;
  readonly #versions: VersionWatch;

  constructor(url: string, reach: EngineReach) {
    this.#http = new EngineHttp(url, reach);
    this.#versions = new VersionWatch(() => this.#http.ask("GET", "/get_weight_version"));
  }

  async *generate(turn: EngineTurn, signal: AbortSignal): AsyncGenerator<GenerateChunk> {
    try {
      const response = await this.#http.post("/generate", bodyOf(turn), signal);
      if (response.statusCode !== 200) throw await this.#http.failure(response);
      let had = 0;
      for await (const event of this.#http.events(response)) {
        const { meta_info } = Event.parse(event);
        const total = meta_info.completion_tokens;
        // Chunks hold all tokens so far, or the new ones alone where the server was started so: the last are new.
        const fresh = total > had ? (meta_info.output_token_logprobs ?? []).slice(had - total) : [];
        if (fresh.length !== Math.max(0, total - had))
          throw new EngineRefusal(501, "sglang gives no ids with log-probs for all its tokens");
        had = Math.max(had, total);
        this.#versions.learn(meta_info.weight_version ?? undefined);
        yield {
          ids: fresh.map(([, id]) => id),
          logprobs: fresh.map(([logprob]) => logprob),
          finishReason: reasonOf(meta_info.finish_reason),
          versions: meta_info.finish_reason ? (meta_info.weight_versions ?? null) : null,
        };
      }
    } catch (error) {
      if (signal.aborted) throw error;
      throw this.#lost(error);
    }
  }

  #lost(error: unknown): Error {
    const known = asAway(error);
    if (known instanceof EngineAway) this.#versions.forget();
    return known;
  }

  async abort(requestId: string): Promise<void> {
    const { status } = await this.#http.ask("POST", "/abort_request", { rid: requestId });
    if (status !== 200) throw new EngineAway(`sglang answered ${status} to an abort`);
  }

  weightVersion(maxAgeMs: number): Promise<number | null> {
    return this.#versions.get(maxAgeMs);
  }

  async scorePrompt(
    prompt: TokenPrompt,
    { requestId, temperature }: { requestId: string; temperature: number },
    signal: AbortSignal,
  ): Promise<(number | null)[]> {
    const rest = {
      ...{ sampling_params: { max_new_tokens: 0, temperature }, stream: false },
      ...{ return_logprob: true, logprob_start_len: 0 },
    };
    try {
      const body = between(requestId, prompt, rest);
      const response = await this.#http.post("/generate", body, signal);
      if (response.statusCode !== 200) throw await this.#http.failure(response);
      const answer = Prefilled.parse(parsePythonJson(await readAnswer(response.body)));
      const scores = answer.meta_info.input_token_logprobs;
      const ids = prompt.ids();
      if (scores.length !== ids.length || scores.some(([, id], i) => id !== ids[i]))
        throw new EngineRefusal(501, "sglang gives no log-prob for every prompt token");
      return scores.map(([logprob]) => logprob);
    } catch (error) {
      if (signal.aborted) throw error;
      throw this.#lost(error);
    }
  }

  isHealthy(): Promise<boolean> {
    return this.#http.isHealthy("/health");
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  destroy(): Promise<void> {
    return this.#http.destroy();
  }
}

function bodyOf({ requestId, prompt, sampling, cacheSalt }: EngineTurn): Buffer {
  return between(requestId, prompt, {
    // It takes no seed but with deterministic inference, and refuses names that it does not know.
    sampling_params: {
      max_new_tokens: sampling.max_tokens,
      temperature: sampling.temperature ?? 1,
      top_p: sampling.top_p ?? 1,
      stop_token_ids: sampling.stop_token_ids ?? [],
      skip_special_tokens: false,
      top_k: sampling.top_k,
      min_p: sampling.min_p,
      repetition_penalty: sampling.repetition_penalty,
      presence_penalty: sampling.presence_penalty,
      frequency_penalty: sampling.frequency_penalty,
      min_new_tokens: sampling.min_tokens,
      ignore_eos: sampling.ignore_eos,
    },
    stream: true,
    return_logprob: true,
    extra_key: cacheSalt,
  });
}

function between(requestId: string, prompt: TokenPrompt, rest: object): Buffer {
  return prompt.jsonBetween(
    `{"rid":${JSON.stringify(requestId)},"input_ids":[`,
    `],${JSON.stringify(rest).slice(1)}`,
  );
}

type FinishReason = z.infer<typeof Event>["meta_info"]["finish_reason"];

/** What the server gave up on is told as an abort, too, with a status. */
function reasonOf(reason: FinishReason): string | null {
  const status = reason?.type === "abort" ? (reason.status_code ?? null) : null;
  if (status === null) return reason?.type ?? null;
  const why = reason?.message ?? "sglang ended the request";
  throw status >= 500 ? new EngineAway(why) : new EngineRefusal(status, why);
}
