import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FinishedJob, VersionedToken } from "#engine/core/sequence.ts";
import type { EngineContext } from "#engine/engine-context.ts";
import {
  completionAnswer,
  completionChunk,
  generateAnswer,
  generateChunk,
  usageOf,
} from "#engine/http/answer-shapes.ts";
import { EngineError } from "#engine/http/engine-error.ts";
import {
  MODEL_NAME,
  type ParsedRequest,
  parseCompletion,
  parseGenerate,
} from "#engine/http/parse-job.ts";
import { sendJson } from "#engine/http/send-json.ts";

const DIALECTS = {
  generate: { parse: parseGenerate, answer: generateAnswer },
  completions: { parse: parseCompletion, answer: completionAnswer },
} as const;
export type GenerationDialect = keyof typeof DIALECTS;

/** `/inference/v1/generate` and `/v1/completions`: runs one request and answers it, whole or as a stream. */
export async function serveGeneration(
  ctx: EngineContext,
  dialect: GenerationDialect,
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
): Promise<void> {
  const header = request.headers["x-request-id"];
  const fallbackId =
    typeof header === "string" && header !== "" ? header : randomBytes(8).toString("hex");
  let parsed: ParsedRequest;
  try {
    parsed = DIALECTS[dialect].parse(body, ctx.config, fallbackId);
  } catch (error) {
    if (error instanceof EngineError && isVocabularyErrorOfStream(error, body))
      return sendStreamError(response, error);
    throw error;
  }
  if (ctx.core.version === null)
    throw new EngineError(503, "ServiceUnavailableError", "The engine has no weights yet.");
  const startedAt = performance.now();
  const stream = parsed.isStream ? new ChunkStream(ctx, dialect, parsed, response) : null;
  parsed.job.onToken = (token) => {
    if (parsed.job.promptIds.length > 0 && firstTokenAt === null) firstTokenAt = performance.now();
    stream?.push(token);
  };
  let firstTokenAt: number | null = null;
  const { done, abort } = ctx.core.submit(parsed.job);
  response.once("close", () => {
    if (!response.writableEnded) abort();
  });
  ctx.metrics.load++;
  try {
    const finished = await done;
    ctx.metrics.timeToFirstToken.observe(((firstTokenAt ?? performance.now()) - startedAt) / 1000);
    await record(ctx, parsed, finished);
    if (stream) stream.end(finished);
    else sendJson(response, 200, DIALECTS[dialect].answer(parsed, finished, ctx.text));
    ctx.metrics.requestLatency.observe((performance.now() - startedAt) / 1000);
  } finally {
    ctx.metrics.load--;
  }
}

/** On disk before the answer leaves: an audit compares what clients hold with this. */
async function record(
  ctx: EngineContext,
  { job }: ParsedRequest,
  finished: FinishedJob,
): Promise<void> {
  await ctx.log.append({
    requestId: job.requestId,
    promptIds: [...job.promptIds],
    ids: finished.tokens.map((token) => token.id),
    logprobs: finished.tokens.map((token) => token.logprob),
    versions: finished.tokens.map((token) => token.version),
    finishReason: finished.finishReason,
    at: new Date().toISOString(),
  });
}

function isVocabularyErrorOfStream(error: EngineError, body: unknown): boolean {
  const isStream =
    typeof body === "object" && body !== null && "stream" in body && body.stream === true;
  return isStream && error.message.endsWith("is out of vocabulary");
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
  });
}

/** vLLM has begun the stream by the time it finds an id out of vocabulary. */
function sendStreamError(response: ServerResponse, error: EngineError): void {
  openStream(response);
  response.end(`data: ${JSON.stringify(error.body)}\n\ndata: [DONE]\n\n`);
}

/** Writes tokens as server-sent events: the first at once, later ones `stream_interval` at a time, as vLLM does. */
class ChunkStream {
  #pending: VersionedToken[] = [];
  #sent: VersionedToken[] = [];
  #textSent = 0;
  #isOpen = false;

  constructor(
    readonly ctx: EngineContext,
    readonly dialect: GenerationDialect,
    readonly parsed: ParsedRequest,
    readonly response: ServerResponse,
  ) {}

  push(token: VersionedToken): void {
    this.#pending.push(token);
    if (!this.#isOpen || this.#pending.length >= this.parsed.streamInterval) this.#flush(null);
  }

  end(finished: FinishedJob): void {
    const streamed = this.#sent.length + this.#pending.length;
    this.#pending.push(...finished.tokens.slice(streamed));
    this.#flush(finished);
    if (this.parsed.includeUsage) {
      const usage = usageOf(this.parsed.job.promptIds.length, finished.tokens.length);
      this.#write({
        id: `cmpl-${this.parsed.job.requestId}`,
        object: "text_completion",
        created: Math.floor(Date.now() / 1000),
        model: MODEL_NAME,
        choices: [],
        usage,
      });
    }
    this.response.end("data: [DONE]\n\n");
  }

  #flush(finished: FinishedJob | null): void {
    const tokens = this.#pending;
    const isFirst = !this.#isOpen;
    if (isFirst) openStream(this.response);
    this.#isOpen = true;
    this.#pending = [];
    if (this.dialect === "generate")
      this.#write(generateChunk(this.parsed, tokens, finished, isFirst));
    else {
      const texts = this.#textsOf(tokens);
      this.#write(completionChunk(this.parsed, tokens, finished, isFirst, texts));
    }
    this.#sent.push(...tokens);
  }

  /** Texts of new tokens; decoding starts over from the first token, since a character may span chunks. */
  #textsOf(tokens: readonly VersionedToken[]): { pieces: string[]; textStart: number } {
    const ids = [...this.#sent, ...tokens].map((token) => token.id);
    const pieces = this.ctx.text.pieces(ids, { skipSpecial: true }).slice(this.#sent.length);
    const textStart = this.#textSent;
    this.#textSent += pieces.join("").length;
    return { pieces, textStart };
  }

  #write(chunk: unknown): void {
    this.response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
}
