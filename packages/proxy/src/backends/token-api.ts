import { z } from "zod";
import { COMPLETIONS_ENDPOINT } from "#backends/completions-endpoint.ts";
import {
  asAway,
  EngineHttp,
  type EngineReach,
  type EngineResponse,
  parsePythonJson,
  readAnswer,
} from "#backends/engine-http.ts";
import { GENERATE_ENDPOINT } from "#backends/generate-endpoint.ts";
import {
  EngineAway,
  EngineRefusal,
  type EngineTurn,
  type GenerateChunk,
  type InferenceBackend,
} from "#backends/inference-backend.ts";
import type { TokenEndpoint } from "#backends/token-endpoint.ts";
import type { TokenPrompt } from "#backends/token-prompt.ts";
import { VersionWatch } from "#backends/version-watch.ts";

/** The one that tells most comes first. */
const ENDPOINTS: readonly TokenEndpoint[] = [GENERATE_ENDPOINT, COMPLETIONS_ENDPOINT];
/** Not mounted, or mounted and switched off (vLLM without `--enable-scale-out` answers 403). */
const ABSENT = new Set([403, 404, 405]);
/** vLLM writes this for minus infinity; NaN is read as less. */
const LOGPROB_FLOOR = -9999;
const Scores = z.array(
  z.record(z.string(), z.looseObject({ logprob: z.number().nullish() })).nullable(),
);

/**
 * The token API of vLLM and of the embedded engine. Which endpoint is there is found out by asking, never by a
 * version's number; an engine that broke off is asked anew.
 */
export class TokenApi implements InferenceBackend {
  readonly #http: EngineHttp;
  readonly #versions: VersionWatch;
  #endpoint: TokenEndpoint | null = null;

  constructor(url: string, reach: EngineReach) {
    this.#http = new EngineHttp(url, reach);
    this.#versions = new VersionWatch(() => this.#http.ask("GET", "/weight_info"));
  }

  async *generate(turn: EngineTurn, signal: AbortSignal): AsyncGenerator<GenerateChunk> {
    try {
      const { endpoint, response } = await this.#post((it) => it.turnBody(turn), signal);
      for await (const event of this.#http.events(response)) {
        const chunk = endpoint.readChunk(event, turn);
        this.#versions.learn(chunk.versions?.at(-1)?.version);
        yield chunk;
      }
    } catch (error) {
      if (signal.aborted) throw error;
      throw this.#lost(error);
    }
  }

  /** Sends to the best endpoint that is there. */
  async #post(
    body: (endpoint: TokenEndpoint) => Buffer,
    signal: AbortSignal,
  ): Promise<{ endpoint: TokenEndpoint; response: EngineResponse }> {
    const refusals: string[] = [];
    for (const endpoint of this.#endpoint ? [this.#endpoint] : ENDPOINTS) {
      const response = await this.#http.post(endpoint.path, body(endpoint), signal);
      if (response.statusCode === 200) {
        this.#endpoint = endpoint;
        return { endpoint, response };
      }
      const { statusCode } = response;
      const failure = await this.#http.failure(response);
      if (!ABSENT.has(statusCode)) throw failure;
      refusals.push(`${endpoint.path} ${statusCode}: ${failure.message.slice(0, 200)}`);
    }
    this.#endpoint = null;
    throw new EngineRefusal(
      404,
      `the engine serves no endpoint that takes token ids (${refusals.join("; ")}): check its address and model`,
    );
  }

  #lost(error: unknown): Error {
    const known = asAway(error);
    // It may come back as another program.
    if (known instanceof EngineAway) {
      this.#endpoint = null;
      this.#versions.forget();
    }
    return known;
  }

  async abort(requestId: string): Promise<void> {
    const endpoint = this.#endpoint ?? GENERATE_ENDPOINT;
    // Without ids vLLM would end every request.
    const { status } = await this.#http.ask("POST", endpoint.abortPath, {
      request_ids: [endpoint.engineId(requestId)],
    });
    if (status !== 200) throw new EngineAway(`engine answered ${status} to an abort`);
  }

  weightVersion(maxAgeMs: number): Promise<number | null> {
    return this.#versions.get(maxAgeMs);
  }

  async scorePrompt(
    prompt: TokenPrompt,
    options: { requestId: string; temperature: number },
    signal: AbortSignal,
  ): Promise<(number | null)[]> {
    try {
      const { endpoint, response } = await this.#post(
        (it) => it.scoreBody(prompt, options),
        signal,
      );
      const answer = parsePythonJson(await readAnswer(response.body));
      return readScores(endpoint.readScores(answer), prompt.ids());
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

function readScores(value: unknown, ids: readonly number[]): (number | null)[] {
  const scores = Scores.safeParse(value).data;
  if (scores?.length !== ids.length)
    throw new EngineRefusal(501, "the engine gives no prompt_logprobs for every prompt token");
  return ids.map((id, i) => {
    const logprob = scores[i]?.[id]?.logprob ?? null;
    return logprob !== null && logprob > LOGPROB_FLOOR ? logprob : null;
  });
}
