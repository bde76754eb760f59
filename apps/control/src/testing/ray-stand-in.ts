import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";

export interface StandInJob {
  status: string;
  message: string;
  driver_exit_code: number | null;
  /** What it printed so far. */
  log: string;
  request: Record<string, unknown>;
}

const ENDS = ["STOPPED", "SUCCEEDED", "FAILED"];

/** By these Ray knows a web page's request (dashboard/optional_utils.py), which may change nothing. */
const BROWSERS = ["origin", "referer", "sec-fetch-mode", "sec-fetch-site", "sec-fetch-dest"];

/**
 * Stands in for the dashboard of a Ray head: its Jobs REST API in memory, with its status codes and plain-text errors as a
 * real Ray 2.60 gave them. Nothing runs: a test sets what a job prints and becomes.
 */
export class RayStandIn {
  readonly jobs = new Map<string, StandInJob>();
  readonly packages = new Map<string, Buffer>();
  readonly requests: string[] = [];
  readonly headers: IncomingMessage["headers"][] = [];
  token: string | null = null;
  sessionName = "session_1";
  /** Answers of further paths. */
  readonly answers = new Map<string, unknown>();
  /** Every request is answered so while it is set. */
  fault: { status: number; text: string } | null = null;
  #server = createServer();
  readonly #tails = new Set<WebSocket>();
  #port = 0;

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** On the port that it had before, if any. */
  async start(): Promise<this> {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const { status, body } = this.#answer(request, Buffer.concat(parts));
        response.writeHead(status);
        response.end(typeof body === "string" ? body : JSON.stringify(body));
      });
    });
    const tails = new WebSocketServer({ noServer: true });
    this.#server.on("upgrade", (request, socket, head) => {
      const { status, body } = this.#answer(request, Buffer.alloc(0));
      if (status !== 200) {
        socket.end(`HTTP/1.1 ${status} No\r\nConnection: close\r\n\r\n${String(body)}`);
        return;
      }
      tails.handleUpgrade(request, socket, head, (client) => {
        this.#tails.add(client);
        client.on("close", () => this.#tails.delete(client));
        void this.#tail(client, jobIn(request.url) ?? "");
      });
    });
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    this.breakTails();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  breakTails(): void {
    for (const client of this.#tails) client.terminate();
  }

  /** Forgets its jobs, as a head without storage does. */
  restartHead(): void {
    this.sessionName = `${this.sessionName}+`;
    this.jobs.clear();
    this.packages.clear();
  }

  #answer(request: IncomingMessage, body: Buffer): { status: number; body: unknown } {
    const path = request.url ?? "";
    this.requests.push(`${request.method} ${path}`);
    this.headers.push(request.headers);
    if (request.method !== "GET" && BROWSERS.some((name) => name in request.headers))
      return { status: 405, body: `'${request.method}' method not allowed for browser traffic.` };
    if (this.fault) return { status: this.fault.status, body: this.fault.text };
    if (path === "/api/authentication_mode")
      return ok({ authentication_mode: this.token === null ? "disabled" : "token" });
    const given = request.headers.authorization;
    if (this.token !== null && given !== `Bearer ${this.token}`)
      return given === undefined
        ? { status: 401, body: "Unauthorized: Missing authentication token" }
        : { status: 403, body: "Forbidden: Invalid authentication token" };
    if (path === "/api/version")
      return ok({ version: "4", ray_version: "2.60.0", session_name: this.sessionName });
    const known = this.answers.get(path);
    if (known !== undefined) return ok(known);
    if (path.startsWith("/api/packages/")) return this.#package(request.method, path, body);
    if (path === "/api/jobs/" && request.method === "POST") return this.#submit(body);
    return this.#job(path);
  }

  #package(method: string | undefined, path: string, body: Buffer) {
    if (method === "PUT") this.packages.set(path, body);
    return this.packages.has(path)
      ? ok("")
      : { status: 404, body: `Package ${path} does not exist` };
  }

  #submit(body: Buffer) {
    const request = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
    const id = String(request.submission_id);
    if (this.jobs.has(id))
      return {
        status: 500,
        body: `Traceback (most recent call last):\n  File "job_head.py"\nRuntimeError: Request failed with status code 400: Traceback (most recent call last):\nValueError: Job with submission_id ${id} already exists. Please use a different submission_id.\n.\n`,
      };
    const message = "Job has not started yet. It may be waiting for resources.";
    this.jobs.set(id, { status: "PENDING", message, driver_exit_code: null, log: "", request });
    return ok({ job_id: id, submission_id: id });
  }

  #job(path: string) {
    const id = jobIn(path);
    const job = id === null ? undefined : this.jobs.get(id);
    if (!job) return { status: 404, body: `Job ${id} does not exist` };
    if (path.endsWith("/logs")) return ok({ logs: job.log });
    if (path.endsWith("/logs/tail")) return ok("");
    if (path.endsWith("/stop")) {
      const isUnderWay = !ENDS.includes(job.status);
      if (isUnderWay)
        Object.assign(job, { status: "STOPPED", message: "Job was intentionally stopped." });
      return ok({ stopped: isUnderWay });
    }
    const { log: _, request, ...details } = job;
    return ok({
      type: "SUBMISSION",
      submission_id: id,
      ...details,
      runtime_env: request.runtime_env,
    });
  }

  /** Everything from the start, and what comes, until the job has ended. */
  async #tail(client: WebSocket, id: string): Promise<void> {
    let sent = 0;
    while (client.readyState === client.OPEN) {
      const job = this.jobs.get(id);
      const isOver = !job || ENDS.includes(job.status);
      if (job && job.log.length > sent) {
        // In pieces: a frame is no line.
        client.send(job.log.slice(sent, sent + 1000));
        sent = Math.min(job.log.length, sent + 1000);
        continue;
      }
      if (isOver) return client.close(1000);
      await sleep(10);
    }
  }
}

const ok = (body: unknown) => ({ status: 200, body });

function jobIn(path: string | undefined): string | null {
  const id = /^\/api\/jobs\/([^/]+)/.exec(path ?? "")?.[1];
  return id === undefined ? null : decodeURIComponent(id);
}
