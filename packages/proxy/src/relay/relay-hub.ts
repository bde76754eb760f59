import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { FromWorker, RELAY_HEARTBEAT_MS, RELAY_PROTOCOL } from "@liverl/contract/relay";
import { bearerMatches } from "@liverl/durable/http-token";
import type { Logger } from "pino";
import { type WebSocket, WebSocketServer } from "ws";
import type { EngineReplicas, Replica } from "#backends/engine-replicas.ts";
import { decodeFrame, encodeFrame } from "#relay/frame.ts";
import { WorkerLink } from "#relay/worker-link.ts";

const PATH = "/ws/worker";
const REGISTER_WITHIN_MS = 10_000;
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

export interface RelayHubOptions {
  /** The engines of a pool that takes workers; null where there is none. */
  enginesOf(poolId: string): EngineReplicas | null;
  /** What a worker shows as Bearer. */
  token: string;
  log: Logger;
}

/** Takes workers that dial in on a server's `/ws/worker`, and gives them to the pools that they name. */
export class RelayHub {
  readonly #options: RelayHubOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(RELAY_PROTOCOL) ? RELAY_PROTOCOL : false),
  });

  constructor(options: RelayHubOptions) {
    this.#options = options;
  }

  listenOn(server: Server): void {
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  close(): void {
    for (const socket of this.#server.clients) socket.close(1001, "the proxy stops");
    this.#server.close();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Also one that is refused may break before it has heard so.
    socket.on("error", () => socket.destroy());
    const isOurs = (request.url ?? "").split("?")[0] === PATH;
    if (!isOurs) refuse(socket, "404 Not Found");
    else if (!bearerMatches(request.headers.authorization, this.#options.token))
      refuse(socket, "401 Unauthorized");
    else this.#server.handleUpgrade(request, socket, head, (opened) => this.#await(opened));
  }

  /** The first frame says who it is. */
  #await(socket: WebSocket): void {
    const late = setTimeout(
      () => socket.close(1002, `register within ${REGISTER_WITHIN_MS / 1000} s`),
      REGISTER_WITHIN_MS,
    );
    socket.on("error", (error) => this.#options.log.warn({ err: error }, "relay connection"));
    socket.once("close", () => clearTimeout(late));
    socket.once("message", (data: Buffer) => {
      clearTimeout(late);
      const refusal = this.#register(socket, data);
      if (refusal !== null) socket.close(1008, refusal);
    });
  }

  /** Null, or why not, in at most 123 bytes. */
  #register(socket: WebSocket, data: Buffer): string | null {
    const said = readRegistration(data);
    if (!said) return "the first frame is to be a register: see docs/relay.md";
    const { worker, pool, concurrency, weightVersion } = said;
    const engines = this.#options.enginesOf(pool);
    if (!engines) return `no pool ${pool.slice(0, 60)} that takes workers (relay: true)`;
    let replica: Replica | null = null;
    const link = new WorkerLink(socket, weightVersion, (credit) => {
      if (replica) engines.grant(replica, credit);
    });
    replica = engines.join(`relay:${worker}`, link, concurrency);
    const joined = replica;
    socket.once("close", (code) => {
      engines.drain(joined);
      this.#options.log.info({ pool, worker, code }, "worker left");
    });
    socket.send(encodeFrame({ t: "registered", heartbeatMs: RELAY_HEARTBEAT_MS }));
    this.#options.log.info({ pool, worker, concurrency, weightVersion }, "worker joined");
    return null;
  }
}

function readRegistration(data: Buffer) {
  try {
    const said = FromWorker.parse(decodeFrame(data).header);
    return said.t === "register" ? said : null;
  } catch {
    // Whatever it is, it is no registration, and its sender is told so.
    return null;
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
