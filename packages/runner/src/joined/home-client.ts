import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import {
  LEASE_S,
  type Lease,
  LeaseAnswer,
  LeaseGrant,
  type LeaseHeartbeat,
  LeaseKey,
  type LeaseRequest,
  type LeaseResult,
} from "@liverl/contract/lease";
import { CompletedSession, type CompleteSession } from "@liverl/contract/proxy-admin";
import { Pool } from "undici";
import { z } from "zod";
import { TrialError } from "#trials/trial-error.ts";

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 2_000;
/** Beyond what the other side waits by itself. */
const SLACK_MS = 15_000;

/** It was asked, and said no: a repeat would hear the same. `status` is HTTP's. */
export class HomeRefusal extends TrialError {
  readonly status: number;

  constructor(status: number, message: string) {
    super("RunnerRefusedError", message);
    this.status = status;
  }
}

/** The trial runner that this one has joined. Methods of a lease go on asking for as long as the lease may live. */
export class HomeClient {
  readonly url: string;
  readonly #pool: Pool;
  readonly #tokenPath: string;

  constructor({ url, tokenPath }: { url: string; tokenPath: string }) {
    this.url = url;
    this.#tokenPath = tokenPath;
    this.#pool = new Pool(new URL(url).origin, { connections: 256, keepAliveTimeout: 30_000 });
  }

  /** Waits for a trial; null where none came up. */
  async lease(request: LeaseRequest, waitS: number, signal: AbortSignal): Promise<Lease | null> {
    const path = `/api/v1/leases?wait=${waitS}`;
    const content = await this.#once("POST", path, {
      body: request,
      signal,
      timeoutMs: waitS * 1_000 + SLACK_MS,
    });
    return LeaseGrant.parse(content).lease;
  }

  async heartbeat(leaseId: string, beat: LeaseHeartbeat): Promise<{ cancelled: boolean }> {
    const path = `${pathOf(leaseId)}/heartbeat`;
    return LeaseAnswer.parse(await this.#once("POST", path, { body: beat, timeoutMs: SLACK_MS }));
  }

  /** `task`: its folder, as a tar. `trajectory`: what the proxy wrote of the attempt's session, once that is completed. */
  async download(leaseId: string, what: "task" | "trajectory"): Promise<Readable> {
    const { statusCode, body } = await this.#send("GET", `${pathOf(leaseId)}/${what}`, {});
    if (statusCode === 200) return body;
    throw await refusalOf(statusCode, body);
  }

  async openSession(leaseId: string, verifyS: number): Promise<z.infer<typeof LeaseKey>> {
    const content = await this.#patiently("POST", `${pathOf(leaseId)}/session`, { verifyS });
    return LeaseKey.parse(content);
  }

  async completeSession(leaseId: string, ending: CompleteSession): Promise<CompletedSession> {
    const content = await this.#patiently("POST", `${pathOf(leaseId)}/session/complete`, ending);
    return CompletedSession.parse(content);
  }

  /** The trial's folder, as tars: `pack` makes one for each try. */
  async files(leaseId: string, pack: () => Readable): Promise<void> {
    await this.#patiently("PUT", `${pathOf(leaseId)}/files`, pack);
  }

  async result(leaseId: string, result: LeaseResult): Promise<void> {
    await this.#patiently("POST", `${pathOf(leaseId)}/result`, result);
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #patiently(
    method: "POST" | "PUT",
    path: string,
    body: object | (() => Readable),
  ): Promise<unknown> {
    const giveUpAt = Date.now() + LEASE_S * 1_000;
    for (let backoffMs = FIRST_BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
      try {
        const timeoutMs = 120_000;
        return await this.#once(method, path, {
          body: typeof body === "function" ? body() : body,
          timeoutMs,
        });
      } catch (error) {
        if (error instanceof HomeRefusal && error.status < 500) throw error;
        if (Date.now() + backoffMs > giveUpAt)
          throw new TrialError("RunnerLostError", `${this.url} can not be reached.`, error);
        await sleep(backoffMs);
      }
    }
  }

  async #once(method: "POST" | "PUT", path: string, asked: Asked): Promise<unknown> {
    const { statusCode, body } = await this.#send(method, path, asked);
    if (statusCode !== 200) throw await refusalOf(statusCode, body);
    return await body.json();
  }

  async #send(
    method: "GET" | "POST" | "PUT",
    path: string,
    { body, signal, timeoutMs = 120_000 }: Partial<Asked>,
  ) {
    const token = (await readFile(this.#tokenPath, "utf8")).trim();
    const isFiles = body !== undefined && "pipe" in body;
    return await this.#pool.request({
      method,
      path: `${new URL(this.url).pathname.replace(/\/$/, "")}${path}`,
      body: isFiles ? body : body && JSON.stringify(body),
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": isFiles ? "application/x-tar" : "application/json",
      },
      headersTimeout: timeoutMs,
      signal: signal ?? null,
    });
  }
}

interface Asked {
  body: object | Readable;
  signal?: AbortSignal;
  timeoutMs: number;
}

export const pathOf = (leaseId: string) => `/api/v1/leases/${encodeURIComponent(leaseId)}`;

const Refusal = z.object({ error: z.object({ message: z.string() }) });

async function refusalOf(status: number, body: { text(): Promise<string> }): Promise<HomeRefusal> {
  const text = await body.text();
  let message = text.slice(0, 300);
  try {
    message = Refusal.parse(JSON.parse(text)).error.message;
  } catch {
    // Something else than a trial runner answers there: its own words tell.
  }
  return new HomeRefusal(status, `The trial runner answered ${status}: ${message}`);
}
