import { lookup } from "node:dns/promises";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { HostRules } from "#sandboxes/egress/host-rules.ts";

const CONNECT_MS = 30_000;
const MOST_PEERS = 200;
/** RFC 9110 §7.6.1, and what is for the proxy alone. */
const HOP_BY_HOP = ["connection", "keep-alive", "proxy-connection", "proxy-authorization", "te"];

export interface Target {
  host: string;
  port: number;
}

/** The addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

const resolveByHost: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * An HTTP proxy whose only ways lead to the hosts of a list: CONNECT by name, and plain HTTP. Names are looked up here, so
 * a sandbox has no resolver, and what a name leads to is checked at each connection.
 */
export class EgressGateway {
  readonly #rules: HostRules;
  readonly #allowed: readonly string[];
  readonly #resolve: Resolve;
  readonly #server: Server;
  readonly #peers = new Set<string>();
  readonly #bytes = { received: 0, sent: 0 };

  constructor(allowed: readonly string[], { resolve = resolveByHost }: { resolve?: Resolve } = {}) {
    this.#rules = new HostRules(allowed);
    this.#allowed = allowed;
    this.#resolve = resolve;
    this.#server = createServer((request, response) => void this.#forward(request, response));
    this.#server.requestTimeout = 0;
    this.#server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on("error", () => socket.destroy());
      void this.#tunnel(request, socket, head);
    });
  }

  /** Speaks HTTP on a connection from inside. */
  serve(connection: Duplex): void {
    this.#server.emit("connection", connection);
  }

  /** Where it led since it was made, and how much went there. */
  use(): { peers: string[]; bytes: { received: number; sent: number } } {
    return { peers: [...this.#peers], bytes: { ...this.#bytes } };
  }

  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const target = targetOf(`http://${request.url ?? ""}`, null);
    const way = await this.#wayTo(target);
    if ("refused" in way) {
      const body = `${way.refused}\n`;
      socket.end(
        `HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
      return;
    }
    const onward = connect({ host: way.address, port: way.port, timeout: CONNECT_MS });
    onward.on("timeout", () => onward.destroy(new Error("no answer")));
    onward.once("error", () => {
      if (onward.bytesRead + onward.bytesWritten === 0)
        socket.end("HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n");
    });
    onward.once("connect", () => {
      onward.setTimeout(0);
      this.#note(target);
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(head);
      pipeline(socket, onward, () => undefined);
      pipeline(onward, socket, () => undefined);
    });
    onward.once("close", () => {
      this.#bytes.received += onward.bytesRead;
      this.#bytes.sent += onward.bytesWritten;
    });
    socket.once("close", () => onward.destroy());
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = targetOf(request.url ?? "", 80);
    const way = await this.#wayTo(target);
    if ("refused" in way) {
      request.resume();
      response.writeHead(403, { "content-type": "text/plain" }).end(`${way.refused}\n`);
      return;
    }
    this.#note(target);
    const { pathname, search, host } = new URL(request.url ?? "");
    const onward = requestHttp(
      {
        ...{ host: way.address, port: way.port, method: request.method, timeout: CONNECT_MS },
        path: `${pathname}${search}`,
        headers: { ...withoutHops(request.headers), host },
        agent: false,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
        answer.on("data", (chunk: Buffer) => {
          this.#bytes.received += chunk.length;
        });
        pipeline(answer, response, () => undefined);
      },
    );
    onward.on("error", () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { "content-type": "text/plain" }).end("No answer.\n");
    });
    response.once("close", () => onward.destroy());
    request.on("data", (chunk: Buffer) => {
      this.#bytes.sent += chunk.length;
    });
    pipeline(request, onward, () => undefined);
  }

  /** An address that the target may be reached at, or why there is none. */
  async #wayTo(
    target: Target | null,
  ): Promise<{ address: string; port: number } | { refused: string }> {
    if (target === null)
      return { refused: "This proxy takes CONNECT host:port and http:// addresses alone." };
    const { host, port } = target;
    if (!this.#rules.allowsHost(host))
      return {
        refused: `${host} is not among the hosts that this task may reach: ${this.#allowed.join(", ") || "none"}.`,
      };
    const addresses = await this.#resolve(host).catch(() => []);
    // The one that was looked at is the one that is connected to.
    const address = addresses.find((one) => this.#rules.allowsAddress(one));
    if (address !== undefined) return { address, port };
    return {
      refused:
        addresses.length === 0
          ? `${host} has no address.`
          : `${host} leads to an address of this machine or of its own network, which is not listed.`,
    };
  }

  #note(target: Target | null): void {
    if (target && this.#peers.size < MOST_PEERS)
      this.#peers.add(`${target.host}:${target.port} (allowed)`);
  }
}

/** The host and port of an address; null where it is none of a proxy's. */
function targetOf(url: string, usualPort: number | null): Target | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(url);
  // The URL's parser leaves the scheme's own port out.
  const given = port === "" ? (usualPort ?? (/:80$/.test(url) ? 80 : null)) : Number(port);
  if (protocol !== "http:" || hostname === "" || given === null) return null;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: given };
}

function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}
