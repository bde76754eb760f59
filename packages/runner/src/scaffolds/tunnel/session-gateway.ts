import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from "node:http";
import { request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";
import { TASK_STEP_HEADER, taskStepHeader } from "@liverl/contract/trajectory";
import { GIVE_UP_MS } from "#scaffolds/chat-client.ts";

/** Plain names alone: nothing that could lead out of the session's own URL. */
const PATH = /^\/v1(?:\/[A-Za-z0-9_-]+)*$/;
const METHODS = new Set(["GET", "HEAD", "POST"]);
const MODEL_CALL = /\/(?:messages|responses|chat\/completions)$/;
/** Of the connection itself, or of what the agent may not choose. */
const DROPPED = [
  "connection",
  "keep-alive",
  "host",
  "x-api-key",
  "authorization",
  "expect",
  TASK_STEP_HEADER,
];

export interface GatewayOptions {
  /** `<agentUrl>/sess/<id>/v1`. */
  baseUrl: string;
  apiKey: string;
  /** Left out, or null: the task has none. */
  taskStep?: string | null;
  /** Who asks is no agent, and says the step itself. */
  passesTaskStep?: true;
  /** What the agent has to show, where others can reach the gateway; left out: nothing. */
  agentKey?: string;
  /** Asked before each model call; one that may not be is refused. */
  mayCall(): boolean;
  /** A model call was answered. */
  onTurn(): void;
  /** A model call that had no answer for so long lacks it for no fault of the agent; left out: {@link GIVE_UP_MS}. */
  giveUpMs?: number;
  /** Aborted when the agent's time is over; left out: it has no end. */
  signal?: AbortSignal;
}

/** HTTP of an agent to its own session and to nothing else. The session's key is added here: the agent never has it. */
export class SessionGateway {
  readonly #options: GatewayOptions;
  readonly #base: URL;
  readonly #server: Server;
  /** What the last model call came to: a status from 500 up, or no answer at all, is not the agent's doing. */
  lastFault: string | null = null;
  /** Why the agent could not go on when its signal was aborted; null where it could. */
  stall: string | null = null;
  /** Model calls whose answer is not whole, and since when each waits for the session; null while it waits for the agent. */
  readonly #waiting = new Map<ServerResponse, number | null>();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#base = new URL(options.baseUrl);
    this.#server = createServer((request, response) => this.pass(request, response));
    // A turn may take as long as the engine needs.
    this.#server.requestTimeout = 0;
    // Then and not later: an agent that is ended takes its calls along.
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  close(): void {
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }

  /** Speaks HTTP on a connection from inside. */
  serve(connection: Duplex): void {
    this.#server.emit("connection", connection);
  }

  readonly #onAbort = () => {
    this.stall = this.#stallNow();
  };

  #stallNow(): string | null {
    if (this.lastFault !== null) return this.lastFault;
    // An answer that the agent does not read is no silence of the model.
    const since = [...this.#waiting].flatMap(([response, at]) =>
      at === null || response.writableNeedDrain ? [] : [at],
    );
    if (since.length === 0) return null;
    const silentMs = Date.now() - Math.min(...since);
    if (silentMs < (this.#options.giveUpMs ?? GIVE_UP_MS)) return null;
    return `a call had no answer for ${Math.round(silentMs / 1_000)} s`;
  }

  /** Answers one request; `url` is a path under `/v1`. */
  pass(request: IncomingMessage, response: ServerResponse, url = request.url ?? "/"): void {
    const { method = "GET" } = request;
    const [path = "/", query] = url.split("?", 2);
    if (!METHODS.has(method) || !PATH.test(path)) {
      const what = `${method} ${path.slice(0, 200)}`;
      refuse(request, response, `${what}: only the session's own /v1 can be reached.`);
      return;
    }
    if (!this.#isAgents(request.headers)) {
      refuse(request, response, "This is another trial's session.");
      return;
    }
    const isCall = method === "POST" && MODEL_CALL.test(path);
    if (isCall && !this.#options.mayCall()) {
      refuse(request, response, "No turn of this attempt is left.");
      return;
    }
    const { protocol, hostname, port } = this.#base;
    const ask = protocol === "https:" ? requestHttps : requestHttp;
    const onward = ask(
      {
        hostname,
        port,
        method,
        path: `${this.#base.pathname.replace(/\/$/, "")}${path.slice("/v1".length)}${query === undefined ? "" : `?${query}`}`,
        headers: { ...this.#headersOf(request.headers), host: this.#base.host },
      },
      (answer) => {
        const status = answer.statusCode ?? 502;
        if (isCall) this.lastFault = status >= 500 ? `it answered ${status}` : null;
        if (isCall && status < 300) this.#options.onTurn();
        const { connection: _, "keep-alive": __, ...headers } = answer.headers;
        response.writeHead(status, headers);
        answer.on("error", () => response.destroy());
        answer.pipe(response);
      },
    );
    onward.on("error", (error) => {
      if (response.destroyed || response.writableEnded) return;
      this.lastFault = error.message;
      if (response.headersSent) {
        response.destroy();
        return;
      }
      response
        .writeHead(503, { "content-type": "application/json", "retry-after": "1" })
        .end(JSON.stringify({ error: { message: "The session can not be reached." } }));
    });
    if (isCall) this.#await(request, response);
    response.on("close", () => {
      this.#waiting.delete(response);
      onward.destroy();
    });
    request.pipe(onward);
  }

  /** From when the agent has said all of it, or the session does not take what it says. */
  #await(request: IncomingMessage, response: ServerResponse): void {
    const wait = (since: number | null) => {
      if (this.#waiting.has(response)) this.#waiting.set(response, since);
    };
    this.#waiting.set(response, null);
    request
      .on("pause", () => wait(Date.now()))
      .on("resume", () => !request.readableEnded && wait(null))
      .once("end", () => wait(Date.now()));
  }

  #isAgents({ authorization, "x-api-key": key }: IncomingHttpHeaders): boolean {
    const { agentKey } = this.#options;
    return agentKey === undefined || authorization === `Bearer ${agentKey}` || key === agentKey;
  }

  #headersOf(given: IncomingHttpHeaders): IncomingHttpHeaders {
    const { apiKey, taskStep, passesTaskStep } = this.#options;
    const kept = Object.entries(given).filter(
      ([name]) => !DROPPED.includes(name) || (passesTaskStep && name === TASK_STEP_HEADER),
    );
    return {
      ...Object.fromEntries(kept),
      ...taskStepHeader(taskStep),
      authorization: `Bearer ${apiKey}`,
    };
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, message: string): void {
  request.resume();
  response
    .writeHead(403, { "content-type": "application/json" })
    .end(JSON.stringify({ error: { type: "permission_error", message } }));
}
