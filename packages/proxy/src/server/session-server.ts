import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { CallContext } from "#calls/call-context.ts";
import { anthropicMessages } from "#dialects/anthropic-messages/anthropic-messages.ts";
import type { Dialect } from "#dialects/dialect.ts";
import { asModelError, type Fault, ModelError } from "#dialects/model-error.ts";
import { openAiChat } from "#dialects/openai-chat/openai-chat.ts";
import { openAiResponses } from "#dialects/openai-responses/openai-responses.ts";
import { answerModels } from "#server/answer-models.ts";
import { countTokens } from "#server/count-tokens.ts";
import { createBoundedServer, pathOf, sendJson } from "#server/http-exchange.ts";
import { serveCall } from "#server/serve-call.ts";
import type { Capabilities } from "#sessions/capability.ts";
import type { Session } from "#sessions/session.ts";

export interface SessionServerContext extends CallContext {
  capabilities: Capabilities;
  /** True once the process is going down: clients that vanish then are ours, not theirs. */
  isStopping(): boolean;
}

const ROUTE =
  /^\/sess\/([A-Za-z0-9][A-Za-z0-9._-]{0,140})(?:\/([A-Za-z0-9_-]{43}))?\/v1\/(chat\/completions|responses|messages|messages\/count_tokens|models|models\/[^/]{1,200})$/;

const DIALECTS: Record<string, Dialect | undefined> = {
  "chat/completions": openAiChat,
  responses: openAiResponses,
  messages: anthropicMessages,
  "messages/count_tokens": anthropicMessages,
};

/** The port that agents see: session routes and nothing else. */
export function createSessionServer(ctx: SessionServerContext): Server {
  return createBoundedServer((request, response) => {
    const dialect = DIALECTS[ROUTE.exec(pathOf(request))?.[3] ?? ""] ?? openAiChat;
    handle(ctx, request, response).catch((error: unknown) => fail(ctx, response, dialect, error));
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
  const [, sessionId, pathKey, action] = ROUTE.exec(path) ?? [];
  if (sessionId === undefined || action === undefined)
    throw new ModelError("not-found", "There is no such path.");
  const session = authorize(ctx, sessionId, pathKey ?? keyOf(request));
  const dialect = DIALECTS[action];
  allow(request, response, dialect ? "POST" : "GET");
  if (!dialect) return answerModels(ctx, session, action.slice("models/".length), response);
  refuseOverBudget(session);
  if (action === "messages/count_tokens") {
    session.unrecorded += 1;
    return countTokens(ctx, session, request, response);
  }
  try {
    await serveCall(ctx, session, dialect, request, response);
  } catch (error) {
    // Also a refusal takes the time of all sessions.
    if (WORK_FAULTS.has(asModelError(error).fault)) session.unrecorded += 1;
    throw error;
  }
}

const WORK_FAULTS: ReadonlySet<Fault> = new Set(["invalid", "overflow", "too-large", "budget"]);

/** Before the body is read. */
function refuseOverBudget(session: Session): void {
  const { maxCalls } = session.open;
  if (session.unrecorded < maxCalls) return;
  throw new ModelError(
    "budget",
    `The session's budget of ${maxCalls} refused requests and token counts is used up.`,
    { code: "call_budget_exceeded" },
  );
}

function allow(request: IncomingMessage, response: ServerResponse, method: string): void {
  if (request.method === method) return;
  response.setHeader("allow", method);
  throw new ModelError("method", `Use ${method}.`);
}

function keyOf(request: IncomingMessage): string {
  const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  const header = request.headers["x-api-key"];
  return bearer ?? (typeof header === "string" ? header : "");
}

function authorize(ctx: SessionServerContext, sessionId: string, key: string): Session {
  const session = ctx.store.find(sessionId);
  const frozen = ctx.store.isFrozen(sessionId);
  if (!session && !frozen)
    throw new ModelError("not-found", `There is no session ${sessionId}.`, {
      code: "session_not_found",
    });
  if (!ctx.capabilities.matches(sessionId, key))
    throw new ModelError("unauthenticated", "The session's key is wrong or missing.", {
      code: "invalid_api_key",
    });
  if (!session || frozen || Date.parse(session.open.expiresAt) < Date.now())
    throw new ModelError("session-over", "The session is over: open a new one.", {
      code: frozen ? "session_complete" : "session_expired",
    });
  return session;
}

function fail(
  ctx: SessionServerContext,
  response: ServerResponse,
  dialect: Dialect,
  error: unknown,
): void {
  if (response.destroyed) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const shown = asModelError(error);
  if (shown.fault === "internal") ctx.log.error({ err: error }, "call failed unexpectedly");
  const { status, body } = dialect.describeError(shown);
  const isAway = shown.fault === "unavailable" || shown.fault === "busy";
  const headers = {
    ...(isAway ? { "retry-after": "1" } : {}),
    // To ask again would be refused again.
    ...(shown.fault === "refused" ? { "x-should-retry": "false" } : {}),
    // What was not read of the body must not be taken for the next request.
    ...(shown.fault === "too-large" ? { connection: "close" } : {}),
  };
  sendJson(response, status, body, headers);
}
