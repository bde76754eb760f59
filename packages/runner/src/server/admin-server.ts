import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { AppError } from "@liverl/contract/app-error";
import { bearerMatches } from "@liverl/durable/http-token";
import type { RunnerContext } from "#context.ts";
import { errorAnswer, send } from "#server/http-answer.ts";
import { moveFiles, passModelCall } from "#server/lease-traffic.ts";
import { ROUTES } from "#server/routes.ts";
import { acceptShells } from "#shells/accept-shells.ts";

export interface AdminTokens {
  admin: string;
  /** Opens the rollouts alone. */
  trainer: string;
  /** Of joined runners: opens the leases alone. */
  joined: string;
}

/** The admin API on 127.0.0.1. Everything but /healthz asks for a token. */
export async function listenAdmin(
  ctx: RunnerContext,
  { port, tokens }: { port: number; tokens: AdminTokens },
): Promise<Server> {
  const server = createServer((request, response) => {
    void answer(ctx, tokens, request, response);
  });
  // Callers wait up to a minute for a rollout on one connection.
  server.requestTimeout = 120_000;
  server.headersTimeout = 60_000;
  server.keepAliveTimeout = 75_000;
  acceptShells(ctx, server, tokens.admin);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1" }, resolve);
  });
  return server;
}

async function answer(
  ctx: RunnerContext,
  tokens: AdminTokens,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/healthz" && request.method === "GET")
      return send(response, { status: 200, content: await health(ctx) });
    if (passModelCall(ctx, url, request, response)) return;
    const caller = callerOf(request, tokens);
    if (caller !== "trainer" && (await moveFiles(ctx, url, request, response))) return;
    for (const { method, pattern, answer: route, opensTo } of ROUTES) {
      const match = method === request.method ? pattern.exec(url.pathname) : null;
      if (!match) continue;
      if (caller !== "admin" && caller !== opensTo)
        throw new AppError("FORBIDDEN", { userMessage: MAY_ALONE[caller] });
      const parameters = match.slice(1).map(decode);
      const content = await route(ctx, {
        request,
        parameters,
        query: url.searchParams,
        signal: gone.signal,
      });
      if (!gone.signal.aborted) send(response, content);
      return;
    }
    throw new AppError("NOT_FOUND", { userMessage: "There is no such route." });
  } catch (error) {
    if (!(error instanceof AppError))
      ctx.log.error({ err: error, method: request.method, url: request.url }, "a request failed");
    if (!response.headersSent) send(response, errorAnswer(error));
  }
}

type Caller = keyof AdminTokens;
const MAY_ALONE = {
  trainer: "A trainer's token asks for rollouts alone.",
  joined: "A joined runner's token asks for leases alone.",
};

function callerOf({ headers }: IncomingMessage, tokens: AdminTokens): Caller {
  const is = (caller: Caller) => bearerMatches(headers.authorization, tokens[caller]);
  if (is("admin")) return "admin";
  if (is("trainer")) return "trainer";
  if (is("joined")) return "joined";
  throw new AppError("UNAUTHENTICATED", {
    userMessage: "This API asks for the token in D/runner/admin.token.",
  });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new AppError("BAD_REQUEST", { userMessage: "The path is not valid.", cause });
  }
}

async function health(
  ctx: RunnerContext,
): Promise<{ proxy: "up" | "down"; agentUrl: string | null }> {
  const [isUp, agentUrl] = await Promise.all([ctx.proxy.isUp(), ctx.proxy.agentUrl()]);
  return { proxy: isUp ? "up" : "down", agentUrl };
}
