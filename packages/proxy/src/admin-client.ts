import { AppError, ErrorBody } from "@liverl/contract/app-error";
import {
  SampledOutside,
  type SampleOutside,
  ScoredOutside,
  type ScoreOutside,
} from "@liverl/contract/engine-question";
import {
  CompletedSession,
  type CompleteSession,
  type CreateSession,
  type EnginePool,
  OpenedSession,
  SessionFiles,
} from "@liverl/contract/proxy-admin";
import { Pool } from "undici";
import { z } from "zod";
import type { PoolView, SessionView } from "#server/proxy-operations.ts";

const CONNECTIONS = 128;
const Nothing = z.looseObject({});
const Health = z.looseObject({ agentUrl: z.string() });
const Pools = z.object({ pools: z.array(z.looseObject({ id: z.string() })) });
const Session = z.looseObject({ sessionId: z.string() });
const Sessions = z.object({ sessions: z.array(Session) });

/** Talks to a proxy's admin port. Every method throws AppError; UNAVAILABLE where the proxy does not answer. */
export class AdminClient {
  readonly #pool: Pool;
  readonly #token: string;

  constructor({ url, token }: { url: string; token: string }) {
    this.#pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
    this.#token = token;
  }

  putPool(poolId: string, pool: EnginePool): Promise<unknown> {
    return this.#call("PUT", `/pools/${poolId}`, Nothing, pool);
  }

  deletePool(poolId: string): Promise<unknown> {
    return this.#call("DELETE", `/pools/${poolId}`, Nothing);
  }

  async listPools(): Promise<PoolView[]> {
    return (await this.#call("GET", "/pools", Pools)).pools;
  }

  async listSessions(): Promise<SessionView[]> {
    return (await this.#call("GET", "/sessions", Sessions)).sessions;
  }

  inspectSession(sessionId: string, aspect: string): Promise<unknown> {
    return this.#call("GET", `/sessions/${sessionId}/${aspect}`, Nothing);
  }

  getSession(sessionId: string): Promise<SessionView> {
    return this.#call("GET", `/sessions/${sessionId}`, Session);
  }

  openSession(session: CreateSession): Promise<OpenedSession> {
    return this.#call("POST", "/sessions", OpenedSession, session);
  }

  completeSession(sessionId: string, end: CompleteSession): Promise<CompletedSession> {
    return this.#call("POST", `/sessions/${sessionId}/complete`, CompletedSession, end);
  }

  deleteSession(sessionId: string): Promise<unknown> {
    return this.#call("DELETE", `/sessions/${sessionId}`, Nothing);
  }

  readFiles(sessionId: string): Promise<SessionFiles> {
    return this.#call("GET", `/sessions/${sessionId}/files`, SessionFiles);
  }

  dropFiles(sessionId: string): Promise<unknown> {
    return this.#call("DELETE", `/sessions/${sessionId}/files`, Nothing);
  }

  /** As long as the engine takes; the signal ends it there, too. */
  sample(asked: SampleOutside, signal: AbortSignal): Promise<SampledOutside> {
    return this.#call("POST", "/sample", SampledOutside, asked, signal);
  }

  score(asked: ScoreOutside, signal: AbortSignal): Promise<ScoredOutside> {
    return this.#call("POST", "/score", ScoredOutside, asked, signal);
  }

  /** Where agents reach the proxy, once it takes sessions. */
  ready(): Promise<{ agentUrl: string }> {
    return this.#call("GET", "/readyz", Health);
  }

  /** In Prometheus' text format. */
  async metrics(): Promise<string> {
    const { status, text } = await this.#request("GET", "/metrics", undefined);
    if (status === 200) return text;
    throw new AppError("UNAVAILABLE", { userMessage: `The proxy answered ${status} to /metrics.` });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #call<S extends z.ZodType>(
    method: "GET" | "PUT" | "POST" | "DELETE",
    path: string,
    answer: S,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<z.infer<S>> {
    const { status, text } = await this.#request(method, path, body, signal);
    if (status === 200) return answer.parse(JSON.parse(text));
    const failure = ErrorBody.safeParse(parseOrNull(text));
    if (failure.success)
      throw new AppError(failure.data.error.code, { userMessage: failure.data.error.message });
    throw new AppError("UNAVAILABLE", {
      userMessage: `The proxy answered ${status} to ${method} ${path}.`,
    });
  }

  async #request(
    method: "GET" | "PUT" | "POST" | "DELETE",
    path: string,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<{ status: number; text: string }> {
    try {
      const response = await this.#pool.request({
        method,
        path,
        headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
        // Whoever can end it by a signal waits as long as it takes.
        ...(signal && { signal, headersTimeout: 0, bodyTimeout: 0 }),
      });
      return { status: response.statusCode, text: await response.body.text() };
    } catch (error) {
      throw new AppError("UNAVAILABLE", {
        userMessage: "The proxy does not answer.",
        message: `${method} ${path} failed`,
        cause: error,
      });
    }
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not ours: the caller reports the status.
    return null;
  }
}
