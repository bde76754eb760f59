import { readFile } from "node:fs/promises";
import { isIP, type LookupFunction } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { createParser } from "eventsource-parser";
import { type Dispatcher, Pool } from "undici";
import { z } from "zod";
import { EngineAway, EngineRefusal } from "#backends/inference-backend.ts";

const MAX_CONNECTIONS = 512;
/** An engine that is paused for a training phase or a weight sync keeps requests waiting, without a sign of life. */
const SILENCE_MS = 60 * 60_000;
const ASK_TIMEOUT_MS = 2_000;
/** The longest are log-probs of a whole prompt, some 100 bytes a token. What says more is no engine, and must not fill our memory. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** Health, versions and what an abort answers take a line. */
const MAX_SHORT_BYTES = 1024 * 1024;
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;
const FAILURE_BYTES = 16 * 1024;
const EngineError = z.object({
  error: z.looseObject({ message: z.string(), code: z.number().nullish() }),
});

/** How an engine is reached beside its address. */
export interface EngineReach {
  /** The file with its API key; null where it needs none. */
  keyPath: string | null;
  /** Where its host is, as somebody looked up and checked; the name is then not looked up again. */
  address?: string | undefined;
}

/** An answer, with the authorization that was sent. */
export type EngineResponse = Dispatcher.ResponseData<Record<string, string>>;

/** HTTP to one engine: its key, its kept connections, and what its errors mean to us. */
export class EngineHttp {
  readonly #pool: Pool;
  readonly #keyPath: string | null;
  #key: Promise<string> | null = null;

  constructor(url: string, { keyPath, address }: EngineReach) {
    this.#pool = new Pool(url, {
      connections: MAX_CONNECTIONS,
      pipelining: 1,
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
      ...(address !== undefined && { connect: { lookup: alwaysTo(address) } }),
    });
    this.#keyPath = keyPath;
  }

  async post(path: string, body: Buffer, signal: AbortSignal): Promise<EngineResponse> {
    const authorization = await this.#authorization();
    return this.#pool.request({
      method: "POST",
      path,
      headers: { "content-type": "application/json", ...authorization },
      body,
      signal,
      opaque: authorization,
    });
  }

  /** A short question; throws {@link EngineAway} where no answer comes in time. */
  async ask(
    method: "GET" | "POST",
    path: string,
    value?: unknown,
  ): Promise<{ status: number; text: string }> {
    try {
      const { statusCode, body } = await this.#pool.request({
        method,
        path,
        headers: {
          ...(value === undefined ? {} : { "content-type": "application/json" }),
          ...(await this.#authorization()),
        },
        body: value === undefined ? null : JSON.stringify(value),
        signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
      });
      return { status: statusCode, text: await readAnswer(body, MAX_SHORT_BYTES) };
    } catch (error) {
      throw asAway(error);
    }
  }

  /** The error that an answer other than 200 stands for. */
  async failure({ statusCode, body, opaque }: EngineResponse): Promise<Error> {
    const text = (await readBeginning(body, FAILURE_BYTES)).text.slice(0, 2000);
    if (statusCode === 401) {
      // A restarted engine may have a new key: the file is read again.
      this.#key = null;
      if (isDeepStrictEqual(await this.#authorization(), opaque))
        return new EngineRefusal(401, `${this.#wantedKey()} (${text})`);
    }
    if (statusCode >= 300 && statusCode < 400)
      return new EngineRefusal(
        statusCode,
        `it answered ${statusCode}: redirects are not followed, give the last address`,
      );
    const again = statusCode >= 500 || statusCode === 401 || statusCode === 429;
    return again
      ? new EngineAway(`engine answered ${statusCode}: ${text}`)
      : new EngineRefusal(statusCode, text || `it answered ${statusCode}`);
  }

  #wantedKey(): string {
    return this.#keyPath === null
      ? "the engine wants a key: name the file that holds it as the pool's engineKeyPath"
      : `the engine does not take the key in ${this.#keyPath}`;
  }

  /** What each event says, up to `[DONE]`. Throws {@link EngineAway} where the stream breaks off before. */
  async *events(response: EngineResponse): AsyncGenerator<unknown> {
    let values: unknown[] = [];
    let done = false;
    let fault: Error | null = null;
    const parser = createParser({
      maxBufferSize: MAX_EVENT_CHARACTERS,
      onError: (error) => {
        if (error.type === "max-buffer-size-exceeded") fault = error;
      },
      onEvent: ({ data }) => {
        if (data === "[DONE]") done = true;
        else values.push(parsePythonJson(data));
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of response.body) {
      parser.feed(decoder.decode(bytes, { stream: true }));
      if (fault) throw new EngineAway("the engine sends an event without an end");
      const ready = values;
      values = [];
      for (const value of ready) {
        throwIfError(value);
        yield value;
      }
    }
    if (!done) throw new EngineAway("the engine's stream broke off");
  }

  async isHealthy(path: string): Promise<boolean> {
    try {
      return (await this.ask("GET", path)).status === 200;
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

/** A whole answer; throws {@link EngineAway} where it is longer than any engine's. */
export async function readAnswer(
  body: AsyncIterable<Uint8Array>,
  mostBytes = MAX_ANSWER_BYTES,
): Promise<string> {
  const { text, isWhole } = await readBeginning(body, mostBytes);
  if (!isWhole) throw new EngineAway(`the engine's answer is longer than ${mostBytes} bytes`);
  return text;
}

/** At most so much of a body, and whether that is all; the connection of a longer one is closed. */
async function readBeginning(
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<{ text: string; isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes > mostBytes) break;
  }
  return {
    text: Buffer.concat(parts).subarray(0, mostBytes).toString("utf8"),
    isWhole: bytes <= mostBytes,
  };
}

function alwaysTo(address: string): LookupFunction {
  const place = { address, family: isIP(address) };
  return (_host, options, found) =>
    options.all ? found(null, [place]) : found(null, place.address, place.family);
}

export function asAway(error: unknown): EngineAway | EngineRefusal {
  if (error instanceof EngineAway || error instanceof EngineRefusal) return error;
  if (error instanceof z.ZodError)
    return new EngineAway(`it answers otherwise than its API says: ${firstFault(error)}`, {
      cause: error,
    });
  return new EngineAway(error instanceof Error ? error.message : String(error), { cause: error });
}

function firstFault({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join(".")}: ${issue?.message}`;
}

/** Engines report trouble inside a stream that began with 200. */
function throwIfError(value: unknown): void {
  if (typeof value !== "object" || value === null || !("error" in value)) return;
  const failed = EngineError.safeParse(value);
  if (!failed.success) return;
  const { message, code } = failed.data.error;
  if ((code ?? 400) >= 500) throw new EngineAway(`the engine failed in its stream: ${message}`);
  throw new EngineRefusal(code ?? 400, message);
}

/** Python's `json` writes NaN and Infinity. They become a number below every real log-prob: clamped and flagged later. */
export function parsePythonJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const repaired = text.replace(
      /("(?:[^"\\]|\\[\s\S])*"?)|NaN|-?Infinity/g,
      (_, string?: string) => string ?? "-1e9",
    );
    return JSON.parse(repaired);
  }
}
