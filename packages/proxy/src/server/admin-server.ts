import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { AppError, HTTP_STATUS } from "@liverl/contract/app-error";
import {
  CompleteSession,
  EnginePool,
  type OpenedSession,
  OpenSession,
} from "@liverl/contract/proxy-admin";
import { bearerMatches } from "@liverl/durable/http-token";
import type { Logger } from "pino";
import { z } from "zod";
import { createBoundedServer, pathOf, readBody, sendJson } from "#server/http-exchange.ts";
import type { Metrics } from "#server/metrics.ts";
import type { Capabilities } from "#sessions/capability.ts";
import type { Session } from "#sessions/session.ts";
import type { SessionStore } from "#sessions/session-store.ts";

export interface AdminContext {
  store: SessionStore;
  capabilities: Capabilities;
  metrics: Metrics;
  log: Logger;
  token: string;
  agentUrl: string;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The path's one variable part. */
  id: string;
}

type Handler = (ctx: AdminContext, exchange: Exchange) => Promise<unknown>;

const ID = "([A-Za-z0-9][A-Za-z0-9._-]{0,140})";
const ROUTES: readonly [method: string, path: RegExp, handler: Handler][] = [
  ["PUT", new RegExp(`^/admin/pools/${ID}$`), putPool],
  [
    "DELETE",
    new RegExp(`^/admin/pools/${ID}$`),
    (ctx, { id }) => ctx.store.deletePool(id).then(() => ({})),
  ],
  ["GET", /^\/admin\/pools$/, listPools],
  ["POST", /^\/admin\/sessions$/, openSession],
  ["GET", /^\/admin\/sessions$/, async (ctx) => ({ sessions: ctx.store.list().map(viewOf) })],
  ["GET", new RegExp(`^/admin/sessions/${ID}$`), async (ctx, { id }) => viewOf(ctx.store.get(id))],
  [
    "DELETE",
    new RegExp(`^/admin/sessions/${ID}$`),
    (ctx, { id }) => ctx.store.deleteSession(id).then(() => ({})),
  ],
  ["POST", new RegExp(`^/admin/sessions/${ID}/complete$`), completeSession],
];

/** The port that the runner and operators use; everything but the health routes needs the token. */
export function createAdminServer(ctx: AdminContext): Server {
  return createBoundedServer((request, response) => {
    handle(ctx, request, response).catch((error: unknown) => fail(ctx, response, error));
  });
}

async function handle(
  ctx: AdminContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(request);
  // The process listens only once its journal is replayed, so to answer is to be ready.
  if (request.method === "GET" && (path === "/healthz" || path === "/readyz")) {
    return sendJson(response, 200, { status: "ok", agentUrl: ctx.agentUrl });
  }
  if (!bearerMatches(request.headers.authorization, ctx.token)) {
    throw new AppError("UNAUTHENTICATED", {
      userMessage: "Send the token of D/proxy/admin.token as Bearer.",
    });
  }
  if (request.method === "GET" && path === "/metrics") {
    ctx.metrics.sessions.set(ctx.store.list().length);
    response.writeHead(200, { "content-type": ctx.metrics.registry.contentType });
    response.end(await ctx.metrics.registry.metrics());
    return;
  }
  for (const [method, pattern, handler] of ROUTES) {
    const match = method === request.method ? pattern.exec(path) : null;
    if (match)
      return sendJson(response, 200, await handler(ctx, { request, response, id: match[1] ?? "" }));
  }
  throw new AppError("NOT_FOUND", { userMessage: `There is no ${request.method} ${path}.` });
}

async function readInput<S extends z.ZodType>(
  request: IncomingMessage,
  schema: S,
): Promise<z.infer<S>> {
  const text = (await readBody(request)).toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError("BAD_REQUEST", { userMessage: "The body is not JSON.", cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError("BAD_REQUEST", {
    userMessage: z.prettifyError(parsed.error),
    cause: parsed.error,
  });
}

async function putPool(ctx: AdminContext, { request, id }: Exchange): Promise<unknown> {
  await ctx.store.putPool(id, await readInput(request, EnginePool));
  return {};
}

async function listPools(ctx: AdminContext): Promise<unknown> {
  return {
    pools: ctx.store.pools.list().map(({ id, config }) => ({
      id,
      ...config,
      replicas: ctx.store.pools
        .get(id)
        .engines.replicas.map(({ url, inFlight, healthy, draining }) => ({
          ...{ url, inFlight, healthy, draining },
        })),
    })),
  };
}

async function openSession(ctx: AdminContext, { request }: Exchange): Promise<OpenedSession> {
  const session = await ctx.store.openSession(await readInput(request, OpenSession));
  return {
    sessionId: session.id,
    baseUrl: `${ctx.agentUrl}/sess/${session.id}/v1`,
    apiKey: ctx.capabilities.derive(session.id),
    expiresAt: session.open.expiresAt,
  };
}

async function completeSession(ctx: AdminContext, { request, id }: Exchange): Promise<unknown> {
  return ctx.store.completeSession(id, await readInput(request, CompleteSession));
}

function viewOf(session: Session) {
  const { calls, tree, turns, open } = session;
  return {
    ...open,
    calls: [...calls.values()].map((entry) => entry.call),
    nodes: tree.nodes.length,
    inFlight: turns.size,
  };
}

function fail(ctx: AdminContext, response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const known =
    error instanceof AppError
      ? error
      : new AppError("INTERNAL", {
          userMessage: "The proxy failed; its log says why.",
          cause: error,
        });
  if (known.code === "INTERNAL") ctx.log.error({ err: error }, "admin request failed");
  const close = known.code === "TOO_LARGE" ? { connection: "close" } : {};
  sendJson(
    response,
    HTTP_STATUS[known.code],
    { error: { code: known.code, message: known.userMessage } },
    close,
  );
}
