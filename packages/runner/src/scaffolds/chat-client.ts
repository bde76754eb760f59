import { setTimeout as sleep } from "node:timers/promises";
import { taskStepHeader } from "@liverl/contract/trajectory";
import { Pool } from "undici";
import { z } from "zod";
import { TrialError } from "#trials/trial-error.ts";

export const ToolCall = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
export type ToolCall = z.infer<typeof ToolCall>;

const AssistantMessage = z.looseObject({
  role: z.literal("assistant"),
  content: z.string().nullable().optional(),
  tool_calls: z.array(ToolCall).nullable().optional(),
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

const ChatCompletion = z.looseObject({
  choices: z
    .array(z.looseObject({ message: AssistantMessage, finish_reason: z.string().nullable() }))
    .min(1),
});

const ChatFailure = z.looseObject({
  error: z.looseObject({ code: z.unknown(), message: z.string().optional() }),
});

export type ChatOutcome =
  | { kind: "answer"; message: AssistantMessage }
  | { kind: "context-overflow" }
  /** The request was refused for a fault of the conversation: a repeat would be refused, too. */
  | { kind: "refused"; message: string };

export interface ChatRequest {
  baseUrl: string;
  apiKey: string;
  /** Left out, or null: the task has none. */
  taskStep?: string | null;
  /** JSON of the request: built once, so that a retry is the same to the byte. */
  body: string;
  signal: AbortSignal;
}

/** Codes of a session that answers nothing any more. */
const SESSION_OVER = new Set(["session_complete", "session_expired"]);
const CONNECTIONS = 256;
const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;
/**
 * How long one call may go without an answer before infrastructure counts as gone: a healthy engine gives a turn in
 * seconds, and a trial's deadline is minutes.
 */
export const GIVE_UP_MS = 60_000;

/** An OpenAI chat client as small as an agent needs: keep-alive, and retries with the SDK's header. */
export class ChatClient {
  readonly #pools = new Map<string, Pool>();
  readonly #giveUpMs: number;

  constructor({ giveUpMs = GIVE_UP_MS }: { giveUpMs?: number } = {}) {
    this.#giveUpMs = giveUpMs;
  }

  /**
   * Throws {@link TrialError} when the session can not be reached, also when it is aborted after a long silence, and
   * the signal's reason when it is aborted sooner.
   */
  async complete(request: ChatRequest): Promise<ChatOutcome> {
    const began = Date.now();
    try {
      return await this.#untilAnswered(request, began);
    } catch (error) {
      const silentMs = Date.now() - began;
      if (!request.signal.aborted || error instanceof TrialError || silentMs <= this.#giveUpMs)
        throw error;
      throw new TrialError(
        "ApiResponseStalledError",
        `The model had not answered for ${Math.round(silentMs / 1_000)} s when the time was over.`,
        error,
      );
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }

  async #untilAnswered(request: ChatRequest, began: number): Promise<ChatOutcome> {
    for (let retries = 0; ; retries++) {
      const attempt = await this.#once(request, retries);
      if (attempt.kind !== "again") return attempt;
      request.signal.throwIfAborted();
      if (Date.now() - began > this.#giveUpMs)
        throw new TrialError(attempt.exceptionType, attempt.message);
      const backoffMs =
        Math.min(FIRST_BACKOFF_MS * 2 ** retries, MAX_BACKOFF_MS) * (0.5 + Math.random());
      await sleep(attempt.waitMs ?? backoffMs, undefined, { signal: request.signal });
    }
  }

  async #once(request: ChatRequest, retries: number): Promise<ChatOutcome | Again> {
    const url = new URL(`${request.baseUrl}/chat/completions`);
    try {
      const { statusCode, headers, body } = await this.#poolOf(url.origin).request({
        method: "POST",
        path: url.pathname,
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${request.apiKey}`,
          "x-stainless-retry-count": String(retries),
          ...taskStepHeader(request.taskStep),
        },
        body: request.body,
        signal: request.signal,
      });
      const text = await body.text();
      return statusCode === 200
        ? answerOf(text)
        : refusalOf(statusCode, text, headers["retry-after"]);
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      if (error instanceof TrialError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      return {
        kind: "again",
        exceptionType: "NetworkConnectionError",
        message: `The session can not be reached: ${message}`,
      };
    }
  }

  #poolOf(origin: string): Pool {
    let pool = this.#pools.get(origin);
    if (!pool) {
      // No time-outs of its own: an engine may be away for minutes, and the trial has a deadline.
      pool = new Pool(origin, {
        connections: CONNECTIONS,
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: 60_000,
      });
      this.#pools.set(origin, pool);
    }
    return pool;
  }
}

interface Again {
  kind: "again";
  exceptionType: string;
  message: string;
  waitMs?: number;
}

function answerOf(text: string): ChatOutcome {
  const parsed = ChatCompletion.safeParse(parseJson(text));
  const choice = parsed.data?.choices[0];
  if (!choice)
    throw new TrialError(
      "UnknownApiError",
      "The session answered with something that is not a chat completion.",
    );
  return { kind: "answer", message: choice.message };
}

function refusalOf(
  status: number,
  text: string,
  retryAfter: string | string[] | undefined,
): ChatOutcome | Again {
  const failure = ChatFailure.safeParse(parseJson(text)).data?.error;
  const message = failure?.message ?? `HTTP ${status}`;
  if (status === 400 && failure?.code === "context_length_exceeded")
    return { kind: "context-overflow" };
  if (status >= 500 || status === 408 || status === 409 || status === 429) {
    const seconds = Number(retryAfter);
    const waitMs =
      Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 10) * 1_000 : undefined;
    return {
      kind: "again",
      exceptionType: status === 429 ? "ApiRateLimitError" : "ApiInternalServerError",
      message,
      waitMs,
    };
  }
  if (status === 401 || status === 403) throw new TrialError("AgentAuthenticationError", message);
  if (status === 404 || SESSION_OVER.has(String(failure?.code)))
    throw new TrialError("ApiProviderResourceNotFoundError", message);
  return { kind: "refused", message };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
