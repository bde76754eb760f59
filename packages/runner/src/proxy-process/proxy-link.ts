import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SessionProgress } from "@liverl/contract/live-rollout";
import {
  CompletedSession,
  type CompleteSession,
  type EnginePool,
  OpenedSession,
  type OpenSessionInput,
  SessionFiles,
} from "@liverl/contract/proxy-admin";
import type { TrainerProxy } from "@liverl/contract/rollout";
import { Pool } from "undici";
import { z } from "zod";
import { TrialError } from "#trials/trial-error.ts";

export interface Patience {
  /** How long an unreachable proxy is asked again. */
  patienceMs: number;
}

const OpenProxySession = z.looseObject({
  sessionId: z.string(),
  /** Null for an outside agent's. */
  rolloutId: z.string().nullable(),
  calls: z.number().int().optional(),
  inFlight: z.number().int().optional(),
  /** Left out by the proxy of an older trainer's host. */
  progress: SessionProgress.optional(),
});
export type OpenProxySession = z.infer<typeof OpenProxySession>;
const OpenProxySessions = z.looseObject({ sessions: z.array(OpenProxySession) });

/** The proxy's admin API, patient over the seconds in which a dead proxy is started again. */
export interface ProxyLink {
  putPool(poolId: string, pool: EnginePool, patience?: Patience): Promise<void>;
  deletePool(poolId: string, patience?: Patience): Promise<void>;
  openSession(session: OpenSessionInput, patience?: Patience): Promise<OpenedSession>;
  completeSession(
    sessionId: string,
    ending: CompleteSession,
    patience?: Patience,
  ): Promise<CompletedSession>;
  /** Sessions that are not completed. */
  listSessions(patience?: Patience): Promise<OpenProxySession[]>;
  /** `aspect` of an open session, as the proxy answers it; null where there is none. */
  inspectSession(sessionId: string, aspect: string, patience?: Patience): Promise<unknown>;
  /** Both files of a completed session. */
  readFiles(sessionId: string, patience?: Patience): Promise<SessionFiles>;
  dropFiles(sessionId: string, patience?: Patience): Promise<void>;
  isUp(): Promise<boolean>;
  /** `http://127.0.0.1:<session port>`; null before the proxy's first start. */
  agentUrl(): Promise<string | null>;
  close(): Promise<void>;
}

const DEFAULT_PATIENCE: Patience = { patienceMs: 60_000 };
const LONGEST_REFUSAL = 500;
const FIRST_BACKOFF_MS = 25;
const MAX_BACKOFF_MS = 1_000;

/** Ports and token are the files that the proxy keeps under `D/proxy`. */
export function openProxyLink({ dataDir }: { dataDir: string }): ProxyLink {
  const directory = join(dataDir, "proxy");
  return new HttpProxyLink(directory, async () => {
    const [port, token] = await Promise.all([
      readFile(join(directory, "admin-port"), "utf8"),
      readFile(join(directory, "admin.token"), "utf8"),
    ]);
    return { url: `http://127.0.0.1:${port.trim()}`, token: token.trim() };
  });
}

/** The proxy of a trainer's host: whoever started it says where it is. */
export function linkTrainerProxy(place: TrainerProxy): ProxyLink {
  return new HttpProxyLink(null, async () => place);
}

type Method = "GET" | "PUT" | "POST" | "DELETE";
type Answer =
  | { kind: "done"; content: unknown }
  | { kind: "refused"; status: number; text: string }
  | { kind: "unreachable"; cause: unknown };

class HttpProxyLink implements ProxyLink {
  /** Of a proxy of this machine. */
  readonly #directory: string | null;
  readonly #locate: () => Promise<TrainerProxy>;
  #pool: { token: string; pool: Pool } | null = null;

  constructor(directory: string | null, locate: () => Promise<TrainerProxy>) {
    this.#directory = directory;
    this.#locate = locate;
  }

  async putPool(poolId: string, pool: EnginePool, patience = DEFAULT_PATIENCE): Promise<void> {
    await this.#ask("PUT", `/pools/${encodeURIComponent(poolId)}`, pool, patience);
  }

  async deletePool(poolId: string, patience = DEFAULT_PATIENCE): Promise<void> {
    await this.#ask("DELETE", `/pools/${encodeURIComponent(poolId)}`, null, patience);
  }

  async openSession(
    session: OpenSessionInput,
    patience = DEFAULT_PATIENCE,
  ): Promise<OpenedSession> {
    return parse(OpenedSession, await this.#ask("POST", "/sessions", session, patience));
  }

  async completeSession(
    sessionId: string,
    ending: CompleteSession,
    patience = DEFAULT_PATIENCE,
  ): Promise<CompletedSession> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/complete`;
    return parse(CompletedSession, await this.#ask("POST", path, ending, patience));
  }

  async listSessions(patience = DEFAULT_PATIENCE): Promise<OpenProxySession[]> {
    const content = await this.#ask("GET", "/sessions", null, patience);
    return parse(OpenProxySessions, content).sessions;
  }

  async inspectSession(
    sessionId: string,
    aspect: string,
    patience = DEFAULT_PATIENCE,
  ): Promise<unknown> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/${aspect}`;
    return this.#ask("GET", path, null, patience, { missing: null });
  }

  async readFiles(sessionId: string, patience = DEFAULT_PATIENCE): Promise<SessionFiles> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/files`;
    return parse(SessionFiles, await this.#ask("GET", path, null, patience));
  }

  async dropFiles(sessionId: string, patience = DEFAULT_PATIENCE): Promise<void> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/files`;
    await this.#ask("DELETE", path, null, patience);
  }

  async isUp(): Promise<boolean> {
    try {
      const { pool } = await this.#connect();
      const { statusCode, body } = await pool.request({
        method: "GET",
        path: "/healthz",
        headersTimeout: 5_000,
      });
      await body.dump();
      return statusCode === 200;
    } catch {
      this.#forget();
      return false;
    }
  }

  async agentUrl(): Promise<string | null> {
    if (this.#directory === null) return null;
    const port = await readFile(join(this.#directory, "session-port"), "utf8").catch(() => null);
    return port === null ? null : `http://127.0.0.1:${port.trim()}`;
  }

  async close(): Promise<void> {
    await this.#pool?.pool.destroy();
    this.#pool = null;
  }

  async #ask(
    method: Method,
    path: string,
    content: object | null,
    { patienceMs }: Patience,
    /** What is given for a 404, where that is no fault. */
    expected?: { missing: unknown },
  ): Promise<unknown> {
    const body = content && JSON.stringify(content);
    const giveUpAt = Date.now() + patienceMs;
    for (let backoffMs = FIRST_BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
      const answer = await this.#once(method, path, body).catch(
        (cause: unknown): Answer => ({ kind: "unreachable", cause }),
      );
      if (answer.kind === "done") return answer.content;
      if (answer.kind === "refused" && answer.status === 404 && expected) return expected.missing;
      if (answer.kind === "refused")
        throw new TrialError("ProxyRefusedError", `The proxy refused: ${wordsOf(answer.text)}`);
      this.#forget();
      if (Date.now() + backoffMs > giveUpAt) {
        throw new TrialError(
          "ProxyUnavailableError",
          "The proxy can not be reached.",
          answer.cause,
        );
      }
      await sleep(backoffMs);
    }
  }

  async #once(method: Method, path: string, body: string | null): Promise<Answer> {
    const { pool, token } = await this.#connect();
    const answer = await pool.request({
      method,
      path,
      body,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      headersTimeout: 120_000,
    });
    const text = await answer.body.text();
    const { statusCode: status } = answer;
    if (status < 300) return { kind: "done", content: text === "" ? null : JSON.parse(text) };
    // A stranger's port or an old token answers 401: the files are read again, too.
    if (status >= 500 || status === 401)
      return { kind: "unreachable", cause: new Error(`HTTP ${status}: ${text.slice(0, 300)}`) };
    return { kind: "refused", status, text: text.slice(0, 300) };
  }

  async #connect(): Promise<{ pool: Pool; token: string }> {
    if (this.#pool) return this.#pool;
    const { url, token } = await this.#locate();
    this.#pool ??= {
      token,
      pool: new Pool(new URL(url).origin, { connections: 64, keepAliveTimeout: 30_000 }),
    };
    return this.#pool;
  }

  /** The next request reads ports and token again: a restarted proxy may have had to move. */
  #forget(): void {
    const old = this.#pool;
    this.#pool = null;
    void old?.pool.close().catch(() => undefined);
  }
}

function parse<S extends z.ZodType>(schema: S, content: unknown): z.infer<S> {
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new TrialError(
    "ProxyRefusedError",
    "The proxy answered in a shape that this runner does not know.",
    parsed.error,
  );
}

const Refusal = z.object({ error: z.object({ message: z.string() }) });

/** What the proxy says to people, out of its JSON; else the answer as it came. */
function wordsOf(text: string): string {
  try {
    return Refusal.parse(JSON.parse(text)).error.message;
  } catch {
    return text.slice(0, LONGEST_REFUSAL);
  }
}
