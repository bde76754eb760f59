import { readFile } from "node:fs/promises";
import { type GenerateRequest, GenerateResponse } from "@liverl/contract/engine-api";
import { createParser } from "eventsource-parser";
import { Pool } from "undici";
import { z } from "zod";
import {
  EngineAway,
  EngineRefusal,
  type GenerateChunk,
  type InferenceBackend,
} from "#backends/inference-backend.ts";

const MAX_CONNECTIONS = 512;
/** An engine that is paused for a weight sync keeps requests waiting this long at most. */
const SILENCE_MS = 330_000;
const HEALTH_TIMEOUT_MS = 2_000;
const ABORT_TIMEOUT_MS = 2_000;
const StreamError = z.object({ error: z.looseObject({ message: z.string() }) });

/** vLLM's `/inference/v1/generate`, as the embedded engine serves it, too. */
export class TokenApi implements InferenceBackend {
  readonly #pool: Pool;
  readonly #keyPath: string | null;
  #key: Promise<string | null> | null = null;

  constructor(url: string, keyPath: string | null) {
    this.#pool = new Pool(url, {
      connections: MAX_CONNECTIONS,
      pipelining: 1,
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
    });
    this.#keyPath = keyPath;
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GenerateChunk> {
    try {
      yield* this.#stream(request, signal);
    } catch (error) {
      if (signal.aborted || error instanceof EngineAway || error instanceof EngineRefusal)
        throw error;
      throw new EngineAway(error instanceof Error ? error.message : String(error), {
        cause: error,
      });
    }
  }

  async *#stream(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GenerateChunk> {
    const response = await this.#pool.request({
      method: "POST",
      path: "/inference/v1/generate",
      headers: { "content-type": "application/json", ...(await this.#authorization()) },
      body: JSON.stringify(request),
      signal,
    });
    if (response.statusCode !== 200) {
      const text = (await response.body.text()).slice(0, 2000);
      // A restarted engine may have a new key: read the file again next time.
      if (response.statusCode === 401) this.#key = null;
      const again =
        response.statusCode >= 500 || response.statusCode === 401 || response.statusCode === 429;
      throw again
        ? new EngineAway(`engine answered ${response.statusCode}: ${text}`)
        : new EngineRefusal(response.statusCode, text);
    }
    let chunks: GenerateChunk[] = [];
    let done = false;
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data === "[DONE]") done = true;
        else chunks.push(parseChunk(data));
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of response.body) {
      parser.feed(decoder.decode(bytes, { stream: true }));
      const ready = chunks;
      chunks = [];
      yield* ready;
    }
    if (!done) throw new EngineAway("the engine's stream broke off");
  }

  /** Served wherever `generate` is; vLLM knows the request by its own id, which has a prefix. */
  async abort(requestId: string): Promise<void> {
    const { statusCode, body } = await this.#pool.request({
      method: "POST",
      path: "/inference/v1/abort_requests",
      headers: { "content-type": "application/json", ...(await this.#authorization()) },
      body: JSON.stringify({ request_ids: [`generate-tokens-${requestId}`] }),
      signal: AbortSignal.timeout(ABORT_TIMEOUT_MS),
    });
    await body.dump();
    if (statusCode !== 200) throw new EngineAway(`engine answered ${statusCode} to an abort`);
  }

  async isHealthy(): Promise<boolean> {
    try {
      const { statusCode, body } = await this.#pool.request({
        method: "GET",
        path: "/health",
        signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
      });
      await body.dump();
      return statusCode === 200;
    } catch {
      // Refused, reset and too slow all mean the same here: not now.
      return false;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  destroy(): Promise<void> {
    return this.#pool.destroy();
  }

  async #authorization(): Promise<Record<string, string>> {
    if (this.#keyPath === null) return {};
    this.#key ??= readFile(this.#keyPath, "utf8").then((text) => text.trim());
    try {
      return { authorization: `Bearer ${await this.#key}` };
    } catch (error) {
      this.#key = null;
      throw error;
    }
  }
}

function parseChunk(text: string): GenerateChunk {
  const value = parseJson(text);
  const parsed = GenerateResponse.safeParse(value);
  if (!parsed.success) {
    const failed = StreamError.safeParse(value);
    throw failed.success ? new EngineRefusal(400, failed.data.error.message) : parsed.error;
  }
  const [choice] = parsed.data.choices;
  if (!choice) return { ids: [], logprobs: [], finishReason: null, versions: null };
  const logprobs = choice.logprobs?.content ?? [];
  return {
    ids: choice.token_ids,
    logprobs: choice.token_ids.map((_, i) => logprobs[i]?.logprob ?? null),
    finishReason: choice.finish_reason,
    versions: choice.weight_versions ?? null,
  };
}

/** Python's `json` writes NaN and Infinity. They become a number below every real log-prob: clamped and flagged later. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const repaired = text.replace(/("logprob"\s*:\s*)(?:NaN|-?Infinity)/g, "$1-1e9");
    return JSON.parse(repaired);
  }
}
