import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { AppError, HTTP_STATUS } from "@liverl/contract/app-error";
import { bearerMatches } from "@liverl/durable/http-token";
import type { EngineContext } from "#engine/engine-context.ts";
import { CONTROL_ENDPOINTS } from "#engine/http/control-endpoints.ts";
import { EngineError } from "#engine/http/engine-error.ts";
import { readBody } from "#engine/http/read-body.ts";
import { sendJson } from "#engine/http/send-json.ts";
import { type GenerationDialect, serveGeneration } from "#engine/http/serve-generation.ts";

const GENERATIONS: Readonly<Record<string, GenerationDialect>> = {
  "POST /inference/v1/generate": "generate",
  "POST /v1/completions": "completions",
};

/** The engine's HTTP API, not yet listening. Everything but health and metrics needs the API key. */
export function buildEngineServer(ctx: EngineContext): Server {
  const server = createServer(
    { keepAliveTimeout: 60_000, headersTimeout: 10_000, noDelay: true },
    (request, response) => {
      void answer(ctx, request, response);
    },
  );
  return server;
}

async function answer(
  ctx: EngineContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await route(ctx, request, response);
  } catch (error) {
    const known = toEngineError(error);
    if (known.status >= 500) ctx.logger.error({ err: error, url: request.url }, "request failed");
    if (response.headersSent) response.destroy();
    else sendJson(response, known.status, known.body);
  }
}

async function route(
  ctx: EngineContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://engine");
  if (url.pathname === "/health" || url.pathname === "/healthz") {
    response.writeHead(200).end();
    return;
  }
  if (url.pathname === "/metrics") {
    const text = await ctx.metrics.registry.metrics();
    response.writeHead(200, { "content-type": ctx.metrics.registry.contentType }).end(text);
    return;
  }
  if (!bearerMatches(request.headers.authorization, ctx.apiKey))
    return sendJson(response, 401, { error: "Unauthorized" });
  const key = `${request.method} ${url.pathname}`;
  const dialect = GENERATIONS[key];
  if (dialect) return serveGeneration(ctx, dialect, request, response, await readBody(request));
  const endpoint = CONTROL_ENDPOINTS[key];
  if (endpoint) {
    const body = request.method === "POST" ? await readBody(request) : undefined;
    return sendJson(response, 200, await endpoint(ctx, body, url.searchParams));
  }
  const isKnownPath = [...Object.keys(GENERATIONS), ...Object.keys(CONTROL_ENDPOINTS)].some(
    (known) => known.endsWith(` ${url.pathname}`),
  );
  sendJson(response, isKnownPath ? 405 : 404, {
    detail: isKnownPath ? "Method Not Allowed" : "Not Found",
  });
}

function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  if (error instanceof AppError)
    return new EngineError(HTTP_STATUS[error.code], "BadRequestError", error.userMessage);
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  if (isMissing)
    return new EngineError(
      400,
      "BadRequestError",
      "There is no weights file at that path.",
      "path",
    );
  return new EngineError(500, "InternalServerError", "The engine failed on this request.");
}
