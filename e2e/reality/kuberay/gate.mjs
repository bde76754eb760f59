// Stands between control and the API server, to make of it what the network and a busy server make: a real answer late,
// refused, or of an expired watch. What it lets through is answered by the real server, with the caller's own token.
import { createServer } from "node:http";
import { request } from "node:https";
import { connect } from "node:tls";

export class Gate {
  #server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));
  #sockets = new Set();
  isDown = false;
  /** As many requests are answered with 429 and Retry-After. */
  busy = 0;
  /** As many watches are asked for a version that is long gone: the server says 410. */
  stale = 0;
  /** What was asked, and how it was answered. */
  seen = [];
  /** The same, as verbs: when each was asked for, ms. */
  calls = [];
  expired = 0;
  #watches = new Map();
  /** Both ends of each exec. */
  #tunnels = new Set();

  constructor(server, ca) {
    this.server = server;
    this.ca = ca;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      if (this.isDown) socket.destroy();
    });
    this.#server.on("upgrade", (incoming, socket, head) => this.#upgrade(incoming, socket, head));
  }

  async start() {
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
    return this;
  }

  down() {
    this.isDown = true;
    this.cut();
  }

  cut() {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The server ends every watch, as it does now and then. */
  cutWatches() {
    for (const outgoing of this.#watches.keys()) outgoing.destroy();
  }

  /** What is open now says nothing more and is not closed, as behind a NAT that has forgotten it; what comes new passes. */
  hush() {
    for (const [outgoing, answer] of this.#watches) mute(answer, outgoing);
    for (const [socket, behind] of this.#tunnels) {
      mute(socket, behind);
      mute(behind, socket);
    }
  }

  up() {
    this.isDown = false;
  }

  stop() {
    this.cut();
    this.#server.close();
  }

  /** An exec: bytes to and fro. */
  #upgrade(incoming, socket, head) {
    const { hostname: host, port } = new URL(this.server);
    const behind = connect({ host, port: Number(port), ca: this.ca }, () => {
      const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
      for (let at = 0; at < incoming.rawHeaders.length; at += 2)
        lines.push(`${incoming.rawHeaders[at]}: ${incoming.rawHeaders[at + 1]}`);
      behind.write(`${lines.join("\r\n")}\r\n\r\n`);
      behind.write(head);
      socket.pipe(behind).pipe(socket);
      const tunnel = [socket, behind];
      this.#tunnels.add(tunnel);
      socket.on("close", () => this.#tunnels.delete(tunnel));
    });
    this.#tell(101, incoming, performance.now());
    behind.on("error", () => socket.destroy()).on("close", () => socket.destroy());
    socket.on("error", () => behind.destroy()).on("close", () => behind.destroy());
  }

  #pass(incoming, outgoing) {
    const url = new URL(incoming.url, this.server);
    const askedAt = performance.now();
    if (this.busy > 0) {
      this.busy -= 1;
      this.#tell(429, incoming, askedAt);
      outgoing.writeHead(429, { "retry-after": "1", "content-type": "application/json" });
      return outgoing.end(
        JSON.stringify({
          kind: "Status",
          apiVersion: "v1",
          status: "Failure",
          code: 429,
          message: "too many",
        }),
      );
    }
    const isWatch = url.searchParams.get("watch") === "true";
    const isStale = isWatch && this.stale > 0;
    if (isStale) {
      this.stale -= 1;
      url.searchParams.set("resourceVersion", "1");
    }
    const { host: _, ...headers } = incoming.headers;
    const forward = request(url, { method: incoming.method, headers, ca: this.ca }, (answer) => {
      this.#tell(answer.statusCode, incoming, askedAt);
      outgoing.writeHead(answer.statusCode, answer.headers);
      if (isStale)
        answer.on("data", (bytes) => {
          if (/"code":410/.test(String(bytes))) this.expired += 1;
        });
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on("error", () => outgoing.destroy());
    });
    if (isWatch) {
      forward.on("response", (answer) => this.#watches.set(outgoing, answer));
      outgoing.on("close", () => this.#watches.delete(outgoing));
    }
    forward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forward.destroy());
    incoming.pipe(forward);
  }

  #tell(status, { method, url }, atMs) {
    const [path, query = ""] = url.split("?");
    this.seen.push(`${status} ${method} ${path}`);
    this.calls.push({ atMs, status, verb: verbOf(method, path, query) });
  }
}

function mute(from, to) {
  from.unpipe(to);
  from.pause();
}

/** As Kubernetes' audit log has them, with the kind of the object. */
function verbOf(method, path, query) {
  const [, kind, name] = /\/namespaces\/[^/]+\/([^/]+)(\/[^/]+)?/.exec(path) ?? [];
  if (/\/exec$/.test(path)) return "exec";
  if (method === "POST") return `create ${kind}`;
  if (method === "DELETE") return `delete ${kind}`;
  if (method !== "GET") return `${method.toLowerCase()} ${kind}`;
  if (/watch=true/.test(query)) return `watch ${kind}`;
  return `${name === undefined ? "list" : "get"} ${kind}`;
}
