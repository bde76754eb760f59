import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from "node:http";
import { AppError, HTTP_STATUS } from "@liverl/contract/app-error";
import { SampleOutside, ScoreOutside } from "@liverl/contract/engine-question";
import { faultOf } from "@liverl/contract/fault-of";
import { CreateSession, EndSession, PutPool } from "@liverl/contract/proxy-admin";
import { bearerMatches } from "@liverl/durable/http-token";
import type { Logger } from "pino";
import type { z } from "zod";
import { stringifyInTurns } from "#json/stringify-in-turns.ts";
import {
  createBoundedServer,
  pathOf,
  readBody,
  sendJson,
  sendJsonText,
} from "#server/http-exchange.ts";
import type { ProxyOperations } from "#server/proxy-operations.ts";

export interface AdminContext {
  operations: ProxyOperations;
  log: Logger;
  token: string;
  /** Whether `/metrics` needs no token. */
  metricsOpen: boolean;
}

interface Exchange {
  request: IncomingMessage;
  /** The path's variable parts: whose, and what of it. */
  id: string;
  aspect: string;
  /** Aborted when the client goes away. */
  gone: AbortSignal;
}

type Handler = (operations: ProxyOperations, exchange: Exchange) => Promise<unknown>;

const ID = "([A-Za-z0-9][A-Za-z0-9._-]{0,140})";
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Everything but the health routes. All of it needs the token. */
export const ADMIN_ROUTES: readonly [method: string, path: RegExp, handler: Handler][] = [
  ["GET", /^\/pools$/, async (operations) => ({ pools: await operations.listPools() })],
  ["PUT", new RegExp(`^/pools/${ID}$`), putPool],
  ["DELETE", new RegExp(`^/pools/${ID}$`), (operations, { id }) => operations.deletePool(id)],
  ["GET", /^\/sessions$/, async (operations) => ({ sessions: await operations.listSessions() })],
  ["POST", /^\/sessions$/, openSession],
  ["GET", new RegExp(`^/sessions/${ID}$`), (operations, { id }) => operations.getSession(id)],
  ["DELETE", new RegExp(`^/sessions/${ID}$`), (operations, { id }) => operations.deleteSession(id)],
  ["POST", new RegExp(`^/sessions/${ID}/complete$`), completeSession],
  ["GET", new RegExp(`^/sessions/${ID}/files$`), (operations, { id }) => operations.readFiles(id)],
  [
    "DELETE",
    new RegExp(`^/sessions/${ID}/files$`),
    (operations, { id }) => operations.dropFiles(id),
  ],
  [
    "GET",
    new RegExp(`^/sessions/${ID}/(outline|(?:forks|calls|nodes)/\\d{1,9})$`),
    (operations, { id, aspect }) => operations.inspectSession(id, aspect),
  ],
  ["POST", /^\/sample$/, sample],
  ["POST", /^\/score$/, score],
];

/** The port of trainers, the runner and operators: sessions, pools, metrics. Denies what it does not know. */
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
  if (request.method === "GET" && (path === "/healthz" || path === "/readyz"))
    return sendHealth(ctx.operations, path, response);
  const isMetrics = request.method === "GET" && path === "/metrics";
  if (!(isMetrics && ctx.metricsOpen) && !bearerMatches(request.headers.authorization, ctx.token)) {
    throw new AppError("UNAUTHENTICATED", {
      userMessage:
        "Send the admin token as Bearer: that of the configuration, or of <data folder>/proxy/admin.token.",
    });
  }
  if (ctx.operations.state === "starting")
    throw new AppError("UNAVAILABLE", { userMessage: "The proxy is starting. Ask again." });
  if (isMetrics) {
    const text = await ctx.operations.metrics();
    response.writeHead(200, { "content-type": METRICS_TYPE }).end(text);
    return;
  }
  const known = ADMIN_ROUTES.filter(([, pattern]) => pattern.test(path));
  const route = known.find(([method]) => method === request.method);
  if (route) {
    const [, pattern, handler] = route;
    const [, id = "", aspect = ""] = pattern.exec(path) ?? [];
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const answer = await handler(ctx.operations, { request, id, aspect, gone: gone.signal });
    return sendJsonText(response, 200, await stringifyInTurns(answer ?? {}));
  }
  if (known.length === 0)
    throw new AppError("NOT_FOUND", { userMessage: `There is no ${request.method} ${path}.` });
  const methods = known.map(([method]) => method).join(", ");
  const message = `${path} takes ${methods}.`;
  sendJson(response, 405, { error: { code: "BAD_REQUEST", message } }, { allow: methods });
}

/** `/healthz`: the process runs. `/readyz`: it takes sessions. */
function sendHealth(
  { state, agentUrl }: ProxyOperations,
  path: "/healthz" | "/readyz",
  response: ServerResponse,
): void {
  const serves = state === "ready" || path === "/healthz";
  const status = state === "ready" ? "ok" : state;
  sendJson(
    response,
    serves ? 200 : 503,
    { status, agentUrl },
    serves ? {} : { "retry-after": "1" },
  );
}

async function readInput<S extends z.ZodType>(
  request: IncomingMessage,
  schema: S,
): Promise<z.infer<S>> {
  const text = (await readBody(request)).toString("utf8");
  let value: unknown;
  try {
    // No body is the smallest one.
    value = text === "" ? {} : JSON.parse(text);
  } catch (error) {
    throw new AppError("BAD_REQUEST", { userMessage: "The body is not JSON.", cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError("BAD_REQUEST", {
    userMessage: faultOf(parsed.error),
    cause: parsed.error,
  });
}

async function putPool(operations: ProxyOperations, { request, id }: Exchange): Promise<void> {
  await operations.putPool(id, await readInput(request, PutPool));
}

async function openSession(operations: ProxyOperations, { request }: Exchange): Promise<unknown> {
  return operations.openSession(await readInput(request, CreateSession));
}

async function completeSession(
  operations: ProxyOperations,
  { request, id }: Exchange,
): Promise<unknown> {
  return operations.completeSession(id, await readInput(request, EndSession));
}

async function sample(operations: ProxyOperations, { request, gone }: Exchange): Promise<unknown> {
  return operations.sample(await readInput(request, SampleOutside), gone);
}

async function score(operations: ProxyOperations, { request, gone }: Exchange): Promise<unknown> {
  return operations.score(await readInput(request, ScoreOutside), gone);
}

function fail(ctx: AdminContext, response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const known = asAppError(error);
  if (known.code === "INTERNAL") ctx.log.error({ err: error }, "admin request failed");
  sendJson(
    response,
    HTTP_STATUS[known.code],
    { error: { code: known.code, message: known.userMessage } },
    headersOf(known),
  );
}

function headersOf({ code }: AppError): OutgoingHttpHeaders {
  // What was not read of the body must not be taken for the next request.
  if (code === "TOO_LARGE") return { connection: "close" };
  if (code === "UNAUTHENTICATED") return { "www-authenticate": "Bearer" };
  return code === "UNAVAILABLE" || code === "TOO_MANY_REQUESTS" ? { "retry-after": "1" } : {};
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ENOSPC" || code === "EDQUOT")
    return new AppError("UNAVAILABLE", {
      userMessage: "The disk is full: nothing was accepted. Free some space and ask again.",
      cause: error,
    });
  return new AppError("INTERNAL", {
    userMessage: "The proxy failed; its log says why.",
    cause: error,
  });
}
