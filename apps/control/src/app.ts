import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { AppError, HTTP_STATUS } from "@liverl/contract/app-error";
import { PAGE_KEY_STORED, SOCKET_PROTOCOL, TICKET_PARAMETER } from "@liverl/contract/page-key";
import { SHELL_PATH } from "@liverl/contract/shell";
import { findNotStorable, notStorable } from "@liverl/contract/storable";
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from "@trpc/server/adapters/fastify";
import { applyWSSHandler } from "@trpc/server/adapters/ws";
import Fastify, { type FastifyInstance } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { answerClientError } from "#answer-client-error.ts";
import { addApiRoutes } from "#api/add-api-routes.ts";
import { addArchiveRoutes } from "#archives/archive-routes.ts";
import { AuditLog, targetOf } from "#auth/audit-log.ts";
import { type Auth, type Identity, SESSION_COOKIE, SESSION_LIFE_S } from "#auth/auth.ts";
import { admit, allowedHosts } from "#auth/guard.ts";
import { QuerySlots } from "#auth/query-slots.ts";
import { allows, neededScope, refusal, type Scope } from "#auth/scope.ts";
import { addExportRoute } from "#checkpoints/export/export-route.ts";
import type { Context } from "#context.ts";
import { drainRequest } from "#drain-request.ts";
import { asAppError } from "#errors.ts";
import { addMetricsExportRoute } from "#metrics/export/export-route.ts";
import { addMlflowArtifactRoutes } from "#mlflow/artifact-routes.ts";
import { addMlflowRoutes } from "#mlflow/mlflow-routes.ts";
import { addRolloutExportRoute } from "#rollouts/export/export-route.ts";
import { type AppRouter, appRouter } from "#router.ts";
import { addSessionRoutes } from "#sessions/session-routes.ts";
import { type AskedShell, carryShell } from "#shells/carry-shell.ts";
import { addMetricsRoute } from "#trackers/metrics-route.ts";
import { SHARED_TOKEN, type Writer } from "#trackers/writer.ts";
import type { RequestContext } from "#trpc.ts";
import { addWandbRoutes } from "#wandb/wandb-routes.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What opens the route; `ingest`: the ingest token does, too. Left out, its method says it. */
    scope?: Scope;
  }
  interface FastifyRequest {
    /** Whose runs a tracker's request may touch. */
    writer: Writer;
  }
}

export interface Pages {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}
export interface App {
  server: FastifyInstance;
  /** Call once the port is known: it is part of the names under which requests are accepted. */
  listen(host: string, port: number): Promise<{ port: number }>;
  close(): Promise<void>;
}

const WS_PATH = "/trpc";
const KEEP_ALIVE = { enabled: true, pingMs: 15_000, pongWaitMs: 5_000 };
/** A socket of a browser or token that was revoked, or has ended, is closed within this. */
const LOOK_AGAIN_MS = 5_000;
const MAX_WS_MESSAGE_BYTES = 1024 * 1024;

/** The HTTP face of control: every request and upgrade passes one guard before any handler sees it. */
export function buildApp(ctx: Context, auth: Auth, pages: Pages | null): App {
  const server = Fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    clientErrorHandler: answerClientError,
    routerOptions: { maxParamLength: 5_000 },
  });
  const audit = new AuditLog(join(ctx.config.dataDir, "audit.log"), ctx.log);
  const identities = new WeakMap<IncomingMessage, Identity>();
  const nonces = new WeakMap<IncomingMessage, string>();
  let hosts: ReadonlySet<string> = allowedHosts(ctx.config.port);

  server.decorateRequest("writer");
  server.addHook("onRequest", async (request, reply) => {
    const nonce = randomBytes(16).toString("base64");
    const policy = contentSecurityPolicy(nonce);
    nonces.set(request.raw, nonce);
    // Next reads the nonce for its own scripts from the request's header.
    request.raw.headers["content-security-policy"] = policy;
    reply.raw.setHeader("content-security-policy", policy);
    reply.raw.setHeader("x-content-type-options", "nosniff");
    reply.raw.setHeader("referrer-policy", "no-referrer");
    reply.raw.setHeader("x-frame-options", "DENY");
    const isPage = request.is404 && !request.url.startsWith("/api/");
    const admission = await admit(auth, request.raw, hosts, isPage);
    if (admission.kind === "refused")
      return refuse(request.raw, reply.code(admission.status), admission.message);
    if (admission.kind === "public") return;
    const needed = neededScope(request.method, request.routeOptions.config.scope);
    if (!allows(admission.scope, needed))
      return refuse(request.raw, reply.code(403), refusal(admission.scope, needed));
    identities.set(request.raw, admission);
    // The guard has read it; routes refuse parameters that they do not know.
    delete Object(request.query)[TICKET_PARAMETER];
    request.writer = writerOf(admission);
  });
  // Text that the database could not hold, in an address: bodies of procedures are looked at by themselves.
  server.addHook("preValidation", async ({ params, query }) => {
    const at = findNotStorable({ ...Object(params), ...Object(query) });
    if (at !== null)
      throw new AppError("BAD_REQUEST", { userMessage: `${at.join(".")} ${notStorable}.` });
  });
  server.setErrorHandler(async (error, request, reply) => {
    if (
      error instanceof Error &&
      "statusCode" in error &&
      typeof error.statusCode === "number" &&
      error.statusCode < 500
    ) {
      if (error.statusCode === HTTP_STATUS.TOO_LARGE) {
        await drainRequest(request.raw);
        return reply.code(413).send({ error: { code: "TOO_LARGE", message: TOO_LARGE } });
      }
      return reply
        .code(error.statusCode)
        .send({ error: { code: "BAD_REQUEST", message: messageOf(error) } });
    }
    const known = asAppError(error);
    if (known.code === "INTERNAL")
      ctx.log.error({ err: error, path: request.url.split("?")[0] }, "request failed");
    return reply
      .code(HTTP_STATUS[known.code])
      .send({ error: { code: known.code, message: known.userMessage } });
  });

  const slots = new QuerySlots();
  const contextFor = (request: IncomingMessage, socket?: WebSocket): RequestContext => {
    const { actor = null, scope = "read", browser } = identities.get(request) ?? {};
    const address = request.socket.remoteAddress ?? null;
    return {
      ...{ ...ctx, actor, scope, browser },
      ...(actor !== null && { slots: slots.of(actor, socket) }),
      audit: (act, input, ok) => audit.write({ actor, address, act, target: targetOf(input), ok }),
    };
  };
  void server.register((scope, _, done) => {
    // Also reads are posted; each procedure knows what it needs.
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, scope: "read" };
    });
    void scope.register(fastifyTRPCPlugin, {
      prefix: WS_PATH,
      trpcOptions: {
        router: appRouter,
        allowMethodOverride: true,
        createContext: ({ req }) => contextFor(req.raw),
      },
    } satisfies FastifyTRPCPluginOptions<AppRouter>);
    done();
  });
  addApiRoutes(server, contextFor);
  addArchiveRoutes(server, contextFor);

  server.get("/healthz", () => ({ status: "ok" }));
  server.get("/start", async (request, reply) => {
    const { code } = z.object({ code: z.string().catch("") }).parse(request.query);
    const session = await auth.redeemLoginCode(code, request.headers["user-agent"]);
    if (code !== "")
      await audit.write({
        ...{ actor: null, address: request.ip, act: "browser.signIn" },
        ...{ target: session === null ? {} : { id: session.id }, ok: session !== null },
      });
    if (session === null)
      return refuse(
        request.raw,
        reply.code(401),
        code === ""
          ? "Open the link that `npm start` printed, or ask for a new one with `liverl link`."
          : "This link was used before or is older than ten minutes.",
      );
    reply.header(
      "set-cookie",
      `${SESSION_COOKIE}=${session.cookie}; Path=/; Max-Age=${SESSION_LIFE_S}; HttpOnly; SameSite=Strict`,
    );
    // A page of our own, not a redirect: after a link from elsewhere, a Strict cookie is not sent along a redirect.
    return reply
      .type("text/html")
      .header("cache-control", "no-store")
      .send(signedInPage(session.pageKey, nonces.get(request.raw) ?? ""));
  });
  server.post("/api/v1/login-links", { config: { scope: "admin" } }, async (request) => {
    const url = `http://${request.headers.host}/start?code=${await auth.createLoginCode()}`;
    await contextFor(request.raw).audit?.("login-links.create", null, true);
    return { url };
  });
  addSessionRoutes(server, ctx);
  addExportRoute(server, ctx);
  addRolloutExportRoute(server, ctx);
  addMetricsRoute(server, ctx);
  addMetricsExportRoute(server, ctx);
  addMlflowRoutes(server, ctx);
  addMlflowArtifactRoutes(server, ctx);
  addWandbRoutes(server, ctx);
  server.setNotFoundHandler(async (request, reply) => {
    if (
      request.url.startsWith("/api/") ||
      (request.method !== "GET" && request.method !== "HEAD")
    ) {
      return reply.code(404).send({
        error: {
          code: "NOT_FOUND",
          message: `There is no ${request.method} ${request.url.split("?", 1)[0]}.`,
        },
      });
    }
    if (!pages)
      return reply
        .code(503)
        .type("text/plain")
        .send("The web app is not built: run `npm run build` and start again.\n");
    reply.hijack();
    await pages.handle(request.raw, reply.raw);
  });

  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_WS_MESSAGE_BYTES,
    // The one that carries a page's key is never answered with.
    handleProtocols: (offered) => offered.has(SOCKET_PROTOCOL) && SOCKET_PROTOCOL,
  });
  const upgraded = new Map<Duplex, IncomingMessage>();
  const looking = setInterval(() => {
    for (const [socket, request] of upgraded)
      admit(auth, request, hosts).then(
        ({ kind }) => kind === "refused" && socket.destroy(),
        // Away for a moment, as the database may be: it is asked again.
        () => undefined,
      );
  }, LOOK_AGAIN_MS);
  const keep = (socket: Duplex, request: IncomingMessage) => {
    upgraded.set(socket, request);
    socket.once("close", () => upgraded.delete(socket));
  };
  const streams = applyWSSHandler({
    wss,
    router: appRouter,
    createContext: ({ req, res }) => contextFor(req, res),
    keepAlive: KEEP_ALIVE,
  });
  const carry = (asked: AskedShell): void => {
    carryShell(ctx, asked).then(
      (status) => status !== null && closeUpgrade(asked.socket, status),
      (error: unknown) => {
        ctx.log.warn({ err: error, rolloutId: asked.rolloutId }, "a shell could not be carried");
        closeUpgrade(asked.socket, 503);
      },
    );
  };
  // Our own dispatcher: a plug-in that takes every upgrade would shut out whoever else needs one.
  server.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    admit(auth, request, hosts).then(
      (admission) => {
        const path = request.url?.split("?", 1)[0];
        const may = (needed: Scope) =>
          admission.kind === "actor" && allows(admission.scope, needed);
        if (admission.kind === "actor" && may("read") && path === WS_PATH) {
          identities.set(request, admission);
          keep(socket, request);
          wss.handleUpgrade(request, socket, head, (client) =>
            wss.emit("connection", client, request),
          );
          return;
        }
        const [, rolloutId] = SHELL_PATH.exec(path ?? "") ?? [];
        if (admission.kind === "actor" && may("operate") && rolloutId !== undefined) {
          keep(socket, request);
          carry({ request, socket, head, rolloutId, actor: admission.actor });
          return;
        }
        const status = admission.kind === "refused" ? admission.status : may("operate") ? 404 : 403;
        closeUpgrade(socket, status);
      },
      () => closeUpgrade(socket, 503),
    );
  });

  return {
    server,
    listen: async (host, port) => {
      await server.listen({ host, port });
      const address = server.server.address();
      const bound = typeof address === "object" && address ? address.port : port;
      hosts = allowedHosts(bound);
      return { port: bound };
    },
    close: async () => {
      clearInterval(looking);
      streams.broadcastReconnectNotification();
      for (const client of wss.clients) client.terminate();
      wss.close();
      await server.close();
    },
  };
}

/** Stores the page key where no other port can read it, then opens the dashboard. */
const signedInPage = (pageKey: string, nonce: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>LiveRL</title><main><p><a href="/">Open LiveRL</a></p></main><script nonce="${nonce}">localStorage.setItem(${JSON.stringify(PAGE_KEY_STORED)}, ${JSON.stringify(pageKey)}); location.replace("/");</script>`;

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    // Mantine and the charts set style attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function writerOf({ actor, scope, project }: Identity): Writer {
  if (project !== undefined) return { kind: "project", by: actor, project };
  return actor === SHARED_TOKEN && scope === "ingest"
    ? { kind: "shared", by: SHARED_TOKEN }
    : { kind: "anyone", by: actor };
}

const TOO_LARGE = "The body is larger than this route reads: send less at once.";
const CODE_OF_STATUS = { 401: "UNAUTHENTICATED", 403: "FORBIDDEN", 421: "BAD_REQUEST" } as const;

function messageOf(error: Error): string {
  const isMedia = "code" in error && error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE";
  return isMedia
    ? "Send the body as JSON, with the header `content-type: application/json`."
    : error.message;
}

/** People get a page, programs get JSON. */
function refuse(
  request: IncomingMessage,
  reply: {
    statusCode: number;
    type(mime: string): { send(body: string): unknown };
    send(body: unknown): unknown;
  },
  message: string,
): unknown {
  if (request.headers.accept?.includes("text/html")) {
    return reply
      .type("text/html")
      .send(
        `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not signed in · LiveRL</title><meta name="color-scheme" content="light dark"><main><h1>Not signed in</h1><p>${message.replaceAll("`", "")}</p><p>The link stands in the terminal, or comes from POST /api/v1/login-links with the token in operator.token.</p></main>`,
      );
  }
  const code = CODE_OF_STATUS[reply.statusCode as keyof typeof CODE_OF_STATUS] ?? "FORBIDDEN";
  return reply.send({ error: { code, message } });
}

function closeUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
