import { request as ask, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { SOCKET_PROTOCOL } from "@liverl/contract/page-key";
import { SHELL_OPENED_HEADER, shellPath } from "@liverl/contract/shell";
import type { Context } from "#context.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

export interface AskedShell {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  rolloutId: string;
  /** Who was let in by the guard. */
  actor: string;
}

/**
 * Connects a page that the guard has let in with a shell of the trial runner. The bytes of the WebSocket are carried as they
 * are, so that each end waits for the other. An opened shell is an event of its run before a key of it can be pressed: one
 * that can not be recorded is not opened. Resolves to the HTTP status of a refusal, else null.
 */
export async function carryShell(
  ctx: Pick<Context, "db" | "live" | "log" | "runner">,
  { request, socket, head, rolloutId, actor }: AskedShell,
): Promise<404 | 503 | null> {
  const row = await ctx.db.rollout.findUnique({
    where: { rolloutId },
    select: { runId: true, step: true },
  });
  if (row === null || row.runId === null) return 404;
  const { runId, step } = row;
  const asked = new URL(request.url ?? "/", "http://127.0.0.1").searchParams;
  const query = new URLSearchParams({
    columns: asked.get("columns") ?? "",
    rows: asked.get("rows") ?? "",
    actor,
  });
  const upstream = await openUpstream(ctx, request, `${shellPath(rolloutId)}?${query}`);
  if (upstream === null) return 503;
  const end = () => {
    upstream.socket.destroy();
    socket.destroy();
  };
  if (socket.destroyed) {
    end();
    return null;
  }
  try {
    if (upstream.isOpened)
      await noteOpened(ctx, { runId, step, rolloutId, actor, until: upstream.socket });
  } catch (error) {
    upstream.socket.destroy();
    throw error;
  }
  // A browser that offers sub-protocols wants one of them in the answer.
  const offered = request.headers["sec-websocket-protocol"]?.split(",").map((one) => one.trim());
  const protocol = offered?.includes(SOCKET_PROTOCOL)
    ? `Sec-WebSocket-Protocol: ${SOCKET_PROTOCOL}\r\n`
    : "";
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${upstream.accept}\r\n${protocol}\r\n`,
  );
  socket.on("error", end).once("close", end);
  upstream.socket.on("error", end).once("close", end);
  upstream.socket.unshift(upstream.head);
  socket.unshift(head);
  upstream.socket.pipe(socket);
  socket.pipe(upstream.socket);
  return null;
}

async function openUpstream(
  { runner }: Pick<Context, "runner">,
  { headers }: IncomingMessage,
  path: string,
): Promise<{ socket: Duplex; head: Buffer; accept: string; isOpened: boolean } | null> {
  const { url, token } = await runner.address();
  return await new Promise((resolve) => {
    // Nothing of the page's own goes on: no cookie, no origin.
    const upgrading = ask(`${url}${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": headers["sec-websocket-version"] ?? "13",
        "sec-websocket-key": headers["sec-websocket-key"] ?? "",
      },
    });
    upgrading.once("upgrade", (response, socket, head) => {
      // At once: a runner that dies while the shell is recorded must not take control along.
      socket.on("error", () => socket.destroy());
      resolve({
        socket,
        head,
        accept: response.headers["sec-websocket-accept"] ?? "",
        isOpened: response.headers[SHELL_OPENED_HEADER] === "1",
      });
    });
    upgrading.once("response", (response) => {
      response.resume();
      resolve(null);
    });
    upgrading.once("error", () => resolve(null));
    upgrading.end();
  });
}

async function noteOpened(
  ctx: Pick<Context, "db" | "live" | "log">,
  shell: { runId: string; step: number | null; rolloutId: string; actor: string; until: Duplex },
): Promise<void> {
  const { runId, step, rolloutId, actor, until } = shell;
  const openedAt = Date.now();
  const note = (message: string) =>
    recordRunEvent(ctx, runId, { kind: "operator-shell", actor, step, message });
  await note(`A shell was opened in the sandbox of ${rolloutId}`);
  until.once("close", () => {
    const seconds = Math.round((Date.now() - openedAt) / 1_000);
    note(`The shell in the sandbox of ${rolloutId} was closed after ${seconds} s`).catch(
      (error: unknown) =>
        ctx.log.warn({ err: error, rolloutId, seconds }, "the end of a shell is not recorded"),
    );
  });
}
