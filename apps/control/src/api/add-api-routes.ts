import type { IncomingMessage } from "node:http";
import { AppError } from "@liverl/contract/app-error";
import { callTRPCProcedure } from "@trpc/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { listOperations, type Operation } from "#api/list-operations.ts";
import { buildDocument } from "#api/openapi/build-document.ts";
import { readQuery, refuseUnknown } from "#api/read-query.ts";
import { streamEvents } from "#api/stream-events.ts";
import { appRouter } from "#router.ts";
import type { RequestContext } from "#trpc.ts";

/** The HTTP API: a route for every procedure that the UI has, and the document that describes them. */
export function addApiRoutes(
  server: FastifyInstance,
  contextFor: (request: IncomingMessage) => RequestContext,
): void {
  for (const operation of listOperations())
    server.route({
      method: operation.method,
      url: operation.path,
      // Who may only read comes this far; the procedure knows whether it is an act.
      config: { scope: "read" },
      handler: (request, reply) => answer(operation, contextFor(request.raw), request, reply),
    });
  let document: string | undefined;
  server.get("/api/v1/openapi.json", (_, reply) => {
    document ??= JSON.stringify(buildDocument());
    return reply.type("application/json").send(document);
  });
}

async function answer(
  operation: Operation,
  ctx: RequestContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const input =
    operation.method === "GET" ? queryOf(operation, request) : bodyOf(operation, request);
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  const result: unknown = await callTRPCProcedure({
    router: appRouter,
    path: operation.name,
    type: operation.kind,
    ctx,
    getRawInput: () => Promise.resolve(input),
    signal: gone.signal,
    batchIndex: 0,
  });
  if (operation.kind === "subscription")
    return reply
      .type("text/event-stream")
      .header("cache-control", "no-store")
      .send(streamEvents(result as AsyncIterable<unknown>, gone.signal));
  return reply.type("application/json").send(JSON.stringify(result === undefined ? {} : result));
}

function queryOf({ input, kind }: Operation, request: FastifyRequest): unknown {
  const query = new URL(request.url, "http://localhost").searchParams;
  // Browsers' own EventSource says by a header where it stopped.
  const last = request.headers["last-event-id"];
  if (kind === "subscription" && typeof last === "string") query.set("lastEventId", last);
  return readQuery(input, query);
}

function bodyOf({ input }: Operation, { body }: FastifyRequest): unknown {
  if (input === null) return undefined;
  const given = body ?? {};
  if (typeof given !== "object" || Array.isArray(given))
    throw new AppError("BAD_REQUEST", { userMessage: "The body is one JSON object." });
  refuseUnknown(input, Object.keys(given));
  return given;
}
