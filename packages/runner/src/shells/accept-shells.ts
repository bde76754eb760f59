import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { SHELL_MESSAGE_BYTES, SHELL_OPENED_HEADER, SHELL_PATH } from "@liverl/contract/shell";
import { bearerMatches } from "@liverl/durable/http-token";
import { WebSocketServer } from "ws";
import type { RunnerContext } from "#context.ts";
import { openShell } from "#shells/open-shell.ts";
import { serveShell } from "#shells/serve-shell.ts";

/** Shells of operators on the admin port: a WebSocket each, and no upgrade else. It opens to the admin's token alone. */
export function acceptShells(ctx: RunnerContext, server: Server, adminToken: string): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: SHELL_MESSAGE_BYTES });
  /** Upgrades for which a shell is open. */
  const opened = new WeakSet<IncomingMessage>();
  sockets.on("headers", (headers, request) => {
    if (opened.has(request)) headers.push(`${SHELL_OPENED_HEADER}: 1`);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    if (!bearerMatches(request.headers.authorization, adminToken)) return refuse(socket, 401);
    // What a client sends as its path may be anything.
    const url = URL.parse(request.url ?? "/", "http://127.0.0.1");
    const [, rolloutId] = SHELL_PATH.exec(url?.pathname ?? "") ?? [];
    if (url === null || rolloutId === undefined) return refuse(socket, 404);
    void openShell(ctx, { rolloutId, query: url.searchParams }).then((opening) => {
      if (opening.shell !== null) opened.add(request);
      let isServed = false;
      sockets.handleUpgrade(request, socket, head, (client) => {
        isServed = true;
        void serveShell(ctx, client, opening);
      });
      // The page left while its shell was opened.
      if (!isServed) void opening.shell?.close();
    });
  });
  ctx.closing.addEventListener("abort", () => {
    for (const client of sockets.clients) client.terminate();
  });
}

function refuse(socket: Duplex, status: 401 | 404): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
