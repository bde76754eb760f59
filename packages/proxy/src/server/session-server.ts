import { createHash } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { answerCall } from "#calls/answer-call.ts";
import { buildCompletion } from "#calls/build-completion.ts";
import type { CallContext } from "#calls/call-context.ts";
import { parseChatRequest } from "#calls/chat-request.ts";
import { CompletionStream } from "#server/completion-stream.ts";
import { createBoundedServer, pathOf, readBody, sendJson } from "#server/http-exchange.ts";
import { asOpenAiError, OpenAiError } from "#server/openai-error.ts";
import type { Capabilities } from "#sessions/capability.ts";
import type { Session } from "#sessions/session.ts";

export interface SessionServerContext extends CallContext {
  capabilities: Capabilities;
  /** True once the process is going down: clients that vanish then are ours, not theirs. */
  isStopping(): boolean;
}

const ROUTE =
  /^\/sess\/([A-Za-z0-9][A-Za-z0-9._-]{0,140})(?:\/([A-Za-z0-9_-]{43}))?\/v1\/(chat\/completions|models)$/;

/** The port that agents see: session routes and nothing else. */
export function createSessionServer(ctx: SessionServerContext): Server {
  return createBoundedServer((request, response) => {
    handle(ctx, request, response).catch((error: unknown) => fail(ctx, response, error));
  });
}

async function handle(
  ctx: SessionServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(request);
  if (path === "/healthz" && request.method === "GET")
    return sendJson(response, 200, { status: "ok" });
  const route = ROUTE.exec(path);
  const [, sessionId, pathKey, action] = route ?? [];
  if (sessionId === undefined)
    throw new OpenAiError(404, { message: "There is no such path.", type: "not_found_error" });
  const session = authorize(ctx, sessionId, pathKey ?? keyOf(request));
  if (action === "models") {
    allow(request, "GET");
    const { modelName, maxModelLen } = ctx.store.pools.get(session.open.poolId).config;
    return sendJson(response, 200, {
      object: "list",
      data: [
        {
          id: modelName,
          object: "model",
          created: 0,
          owned_by: "liverl",
          max_model_len: maxModelLen,
        },
      ],
    });
  }
  allow(request, "POST");
  await chat(ctx, session, request, response);
}

function allow(request: IncomingMessage, method: string): void {
  if (request.method !== method)
    throw new OpenAiError(405, { message: `Use ${method}.`, type: "invalid_request_error" });
}

function keyOf(request: IncomingMessage): string {
  const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  const header = request.headers["x-api-key"];
  return bearer ?? (typeof header === "string" ? header : "");
}

/** 404 for an unknown session, 401 for a wrong key, 410 for one that is over. */
function authorize(ctx: SessionServerContext, sessionId: string, key: string): Session {
  const session = ctx.store.find(sessionId);
  const frozen = ctx.store.isFrozen(sessionId);
  if (!session && !frozen)
    throw new OpenAiError(404, {
      message: `There is no session ${sessionId}.`,
      type: "not_found_error",
      code: "session_not_found",
    });
  if (!ctx.capabilities.matches(sessionId, key)) {
    throw new OpenAiError(401, {
      message: "The session's key is wrong or missing.",
      type: "authentication_error",
      code: "invalid_api_key",
    });
  }
  if (!session || frozen || Date.parse(session.open.expiresAt) < Date.now()) {
    throw new OpenAiError(410, {
      message: "The session is over.",
      type: "invalid_request_error",
      code: frozen ? "session_complete" : "session_expired",
    });
  }
  return session;
}

async function chat(
  ctx: SessionServerContext,
  session: Session,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const chatRequest = parseChatRequest(body);
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished && !ctx.isStopping()) gone.abort();
  });
  const stream = chatRequest.stream ? new CompletionStream(response) : null;
  try {
    const { turn, delivered } = await answerCall(ctx, session, {
      request: chatRequest,
      digest: createHash("sha256").update(body).digest("base64url"),
      retryCount: retryCountOf(request),
      gone: gone.signal,
      began: () => stream?.open(),
    });
    response.once("finish", delivered);
    const model = ctx.store.pools.get(session.open.poolId).config.modelName;
    if (stream) stream.finish(session.id, model, turn, chatRequest.includeUsage);
    else sendJson(response, 200, buildCompletion(session.id, model, turn));
  } catch (error) {
    if (!stream?.isOpen) throw error;
    stream.fail(reported(ctx, error));
  }
}

function retryCountOf(request: IncomingMessage): number | null {
  const header = request.headers["x-stainless-retry-count"];
  const count = typeof header === "string" && /^\d{1,4}$/.test(header) ? Number(header) : null;
  return count;
}

function fail(ctx: SessionServerContext, response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  const shown = reported(ctx, error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const again = shown.status === 503 || shown.status === 429 ? { "retry-after": "1" } : {};
  // What was not read of the body must not be taken for the next request.
  const close = shown.status === 413 ? { connection: "close" } : {};
  sendJson(response, shown.status, shown.body, { ...again, ...close });
}

function reported(ctx: SessionServerContext, error: unknown): OpenAiError {
  const shown = asOpenAiError(error);
  if (shown.status === 500) ctx.log.error({ err: error }, "call failed unexpectedly");
  return shown;
}
