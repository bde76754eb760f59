import { randomBytes } from "node:crypto";
import { join, relative, resolve, sep } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import {
  type CompletedSession,
  type CompleteSession,
  type CreateSession,
  type EnginePool,
  type OpenedSession,
  OpenSession,
} from "@liverl/contract/proxy-admin";
import type { ProcessPlan } from "#config/process-plan.ts";
import type { Metrics } from "#server/metrics.ts";
import type { PoolView, ProxyOperations, SessionView } from "#server/proxy-operations.ts";
import type { Admission } from "#sessions/admission.ts";
import type { Capabilities } from "#sessions/capability.ts";
import type { Session } from "#sessions/session.ts";
import type { SessionStore } from "#sessions/session-store.ts";
import { inspectSession } from "#trajectory/inspect-session.ts";
import { countLossy } from "#tree/lossy-tokens.ts";

const HOUR_MS = 3_600_000;

export const mintSessionId = () => `s-${randomBytes(8).toString("hex")}`;

/** The operations on the sessions of this very process. */
export class LocalOperations implements ProxyOperations {
  readonly agentUrl: string;
  readonly #plan: ProcessPlan;
  readonly #store: SessionStore;
  readonly #capabilities: Capabilities;
  readonly #admission: Admission;
  readonly #metrics: Metrics;

  constructor(
    plan: ProcessPlan,
    parts: {
      agentUrl: string;
      store: SessionStore;
      capabilities: Capabilities;
      admission: Admission;
      metrics: Metrics;
    },
  ) {
    this.agentUrl = parts.agentUrl;
    this.#plan = plan;
    this.#store = parts.store;
    this.#capabilities = parts.capabilities;
    this.#admission = parts.admission;
    this.#metrics = parts.metrics;
  }

  get state(): "ready" | "draining" {
    return this.#admission.isDraining ? "draining" : "ready";
  }

  putPool(poolId: string, pool: EnginePool): Promise<void> {
    return this.#store.putPool(poolId, pool);
  }

  deletePool(poolId: string): Promise<void> {
    return this.#store.deletePool(poolId);
  }

  async listPools(): Promise<PoolView[]> {
    const { pools } = this.#store;
    return pools.list().map(({ id, config }) => ({
      ...config,
      id,
      replicas: pools.get(id).engines.replicas.map(({ url, inFlight, healthy, draining }) => ({
        ...{ url, inFlight, healthy, draining },
      })),
    }));
  }

  async openSession(asked: CreateSession): Promise<OpenedSession> {
    const session = await this.#store.openSession(this.#fill(asked));
    return {
      sessionId: session.id,
      baseUrl: `${this.agentUrl}/sess/${session.id}/v1`,
      apiKey: this.#capabilities.derive(session.id),
      expiresAt: session.open.expiresAt,
    };
  }

  async listSessions(): Promise<SessionView[]> {
    return this.#store.list().map(summaryOf);
  }

  async getSession(sessionId: string): Promise<SessionView> {
    const path = this.#store.frozenPath(sessionId);
    if (path !== null) return { sessionId, status: "complete", path };
    const session = this.#store.get(sessionId);
    const calls = [...session.calls.values()].map((entry) => entry.call);
    return { ...summaryOf(session), calls };
  }

  async inspectSession(sessionId: string, aspect: string): Promise<unknown> {
    return inspectSession(this.#store.get(sessionId).inspected(), aspect);
  }

  async deleteSession(sessionId: string): Promise<void> {
    if (this.#store.frozenPath(sessionId) === null) await this.#store.deleteSession(sessionId);
  }

  completeSession(sessionId: string, end: CompleteSession): Promise<CompletedSession> {
    return this.#store.completeSession(sessionId, end);
  }

  metrics(): Promise<string> {
    this.#metrics.sessions.set(this.#store.list().length);
    this.#metrics.freeDisk.set(this.#admission.freeDiskBytes);
    return this.#metrics.registry.metrics();
  }

  /** A repeat of an opening gets the defaults that the first one got. */
  #fill(asked: CreateSession): OpenSession {
    const sessionId = asked.sessionId ?? mintSessionId();
    const held = this.#store.find(sessionId)?.open;
    const { maxCalls, sessionHours } = this.#plan.limits;
    const filled = held ?? {
      sessionId,
      poolId: asked.poolId ?? this.#onlyPool(),
      rolloutId: null,
      attempt: 1,
      runId: null,
      taskId: null,
      groupId: null,
      step: null,
      mode: "train" as const,
      sampling: null,
      directory: join("sessions", sessionId),
      expiresAt: new Date(Date.now() + sessionHours * HOUR_MS).toISOString(),
      maxCalls,
    };
    const open = OpenSession.parse({ ...filled, ...asked, sessionId });
    return { ...open, directory: this.#within(open.directory) };
  }

  #onlyPool(): string {
    const [first, ...others] = this.#store.pools.list();
    if (first && others.length === 0) return first.id;
    throw new AppError("BAD_REQUEST", {
      userMessage: first
        ? `Say which pool: poolId is one of ${[first, ...others].map(({ id }) => id).join(", ")}.`
        : "There is no pool of engines: name one in the configuration, or PUT /pools/<id>.",
    });
  }

  /** Whoever holds the token may choose a folder, but none outside the proxy's own data. */
  #within(directory: string): string {
    const root = resolve(this.#plan.dataDir);
    const path = resolve(root, directory);
    const steps = relative(root, path).split(sep);
    if (steps[0] !== ".." && steps[0] !== "" && !path.includes("\0")) return path;
    throw new AppError("BAD_REQUEST", {
      userMessage: `directory: ${JSON.stringify(directory)} is not below ${root}. Leave it out, or name a folder there.`,
    });
  }
}

/** Counts alone: somebody may watch thousands of sessions. */
function summaryOf({ calls, tree, turns, open }: Session): SessionView {
  const { nodes } = tree;
  return {
    ...open,
    status: "open",
    calls: calls.size,
    nodes: nodes.length,
    inFlight: turns.size,
    lossy: countLossy(nodes),
  };
}
