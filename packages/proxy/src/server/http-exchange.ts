import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { AppError } from "@liverl/contract/app-error";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { keepPort } from "@liverl/durable/port";

const MB = 1024 * 1024;
const MAX_BODY_MB = 32;
const HEADERS_TIMEOUT_MS = 60_000;
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 75_000;
/** Largest request of a connection, in MB, where its server has a limit of its own. */
const bodyLimits = new WeakMap<Socket, number>();

/** A server that gives up on clients that send too slowly. */
export function createBoundedServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    listener,
  );
  server.maxRequestsPerSocket = 0;
  return server;
}

/** The limit belongs to the listener, so that no handler carries it. */
export function limitBodies(server: Server, maxMb: number): void {
  server.on("connection", (socket: Socket) => bodyLimits.set(socket, maxMb));
}

/**
 * Listens and returns the port: `port`, or for 0 the one that the file at `keptAt` names, or a free one, which the
 * file names then. Throws UNAVAILABLE where a port that was asked for can not be had.
 */
export async function listen(
  server: Server,
  { host, port, keptAt }: { host: string; port: number; keptAt: string },
): Promise<number> {
  const wanted = port === 0 ? await keepPort(keptAt) : port;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(asListenError(error, host, port)),
    );
    server.listen({ port: wanted, host, backlog: 1024 }, resolve);
  });
  if (port !== 0) await writeFileAtomic(keptAt, `${port}\n`);
  return wanted;
}

function asListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const why = {
    EADDRINUSE: "it is in use: end what listens there, or choose another port",
    EACCES: "this user may not: choose a port from 1024 on",
    EADDRNOTAVAIL: "this machine has no such address: choose one that it has, or 0.0.0.0",
  }[error.code ?? ""];
  if (why === undefined) return error;
  return new AppError("UNAVAILABLE", {
    userMessage: `Port ${port} of ${host} can not be listened on: ${why}.`,
    cause: error,
  });
}

/** Answers that are being sent may end within `flushMs`; then every connection is cut. */
export async function closeServer(server: Server, flushMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), flushMs);
  await closed;
  clearTimeout(cut);
}

/** The whole body. Throws TOO_LARGE. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const maxMb = bodyLimits.get(request.socket) ?? MAX_BODY_MB;
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxMb * MB)
      throw new AppError("TOO_LARGE", { userMessage: `The body is larger than ${maxMb} MB.` });
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  sendJsonText(response, status, JSON.stringify(value), headers);
}

export function sendJsonText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: OutgoingHttpHeaders = {},
): void {
  const body = Buffer.from(text, "utf8");
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": body.length,
    ...headers,
  });
  response.end(body);
}

/** The path alone, as sent: nothing is decoded, so nothing can hide behind an encoding. */
export function pathOf(request: IncomingMessage): string {
  const url = request.url ?? "/";
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}
