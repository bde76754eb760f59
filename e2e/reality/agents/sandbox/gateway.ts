import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from "node:http";
import type { GatewayFault } from "#reality/agents/scenarios/scenario.ts";

const MODEL_CALL = /\/(?:messages|responses|chat\/completions)$/;

/**
 * Stands between client and proxy as an ingress does: it passes every byte on, counts model calls and brings about
 * a scenario's faults. It listens on a unix socket, which reaches into a network namespace, and on a port.
 */
export class Gateway {
  readonly socketPath: string;
  readonly #target: URL;
  readonly #servers: Server[] = [];
  readonly #faults: GatewayFault[];
  /** What was answered, in the order of arrival; 0 for a connection that was cut. */
  readonly answers: { method: string; path: string; status: number }[] = [];
  /** The longest time in which a stream of events said nothing, in milliseconds. */
  longestSilenceMs = 0;
  #modelCalls = 0;

  private constructor(target: string, socketPath: string, faults: readonly GatewayFault[]) {
    this.socketPath = socketPath;
    this.#target = new URL(target);
    this.#faults = [...faults];
  }

  static async start({
    target,
    socketPath,
    faults,
  }: {
    target: string;
    socketPath: string;
    faults: readonly GatewayFault[];
  }): Promise<Gateway> {
    const gateway = new Gateway(target, socketPath, faults);
    for (const place of [{ path: socketPath }, { port: 0, host: "127.0.0.1" }]) {
      const server = createServer((request, response) => gateway.#pass(request, response));
      server.requestTimeout = 0;
      await new Promise<void>((resolve) => server.listen(place, resolve));
      gateway.#servers.push(server);
    }
    return gateway;
  }

  /** The port for clients outside of a namespace. */
  get port(): number {
    const address = this.#servers.at(-1)?.address();
    if (typeof address !== "object" || !address) throw new Error("the gateway does not listen");
    return address.port;
  }

  /** Faults that no model call reached. */
  get faultsLeft(): number {
    return this.#faults.length;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#servers.map((server) => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      }),
    );
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const [path = "/"] = (request.url ?? "/").split("?");
    const fault = MODEL_CALL.test(path) ? this.#faultFor(this.#modelCalls++) : null;
    const answered = { method: request.method ?? "", path, status: 0 };
    this.answers.push(answered);
    if (fault?.kind === "status") {
      answered.status = fault.status;
      request.resume();
      const body = { type: "error", error: { type: "overloaded_error", message: "Try again." } };
      response
        .writeHead(fault.status, {
          "content-type": "application/json",
          "retry-after": String(fault.retryAfterS),
        })
        .end(JSON.stringify(body));
      return;
    }
    const onward = requestHttp(
      {
        host: this.#target.hostname,
        port: this.#target.port,
        method: request.method ?? "GET",
        path: request.url ?? "/",
        headers: request.headers,
      },
      (answer) => {
        answered.status = answer.statusCode ?? 0;
        response.writeHead(answered.status, answer.headers);
        if (answer.headers["content-type"]?.startsWith("text/event-stream")) this.#listen(answer);
        answer.pipe(response);
      },
    );
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    if (fault?.kind === "cut") setTimeout(() => response.destroy(), fault.afterMs);
    request.pipe(onward);
  }

  #listen(answer: IncomingMessage): void {
    let heardAt = Date.now();
    const hear = () => {
      this.longestSilenceMs = Math.max(this.longestSilenceMs, Date.now() - heardAt);
      heardAt = Date.now();
    };
    answer.on("data", hear).once("end", hear);
  }

  #faultFor(call: number): GatewayFault | null {
    const at = this.#faults.findIndex((fault) => fault.at === call);
    return at < 0 ? null : (this.#faults.splice(at, 1)[0] ?? null);
  }
}
