import { randomBytes } from "node:crypto";
import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type {
  SampledOutside,
  SampleOutside,
  ScoredOutside,
  ScoreOutside,
} from "@liverl/contract/engine-question";
import {
  type CompletedSession,
  type CompleteSession,
  type CreateSession,
  type EnginePool,
  type OpenedSession,
  OpenSession,
  type SessionFiles,
} from "@liverl/contract/proxy-admin";
import { isMissing } from "@liverl/durable/atomic-file";
import type { Replica } from "#backends/engine-replicas.ts";
import type { ProcessPlan } from "#config/process-plan.ts";
import { sampleOutside } from "#outside/sample-outside.ts";
import { scoreOutside } from "#outside/score-outside.ts";
import type { Metrics } from "#server/metrics.ts";
import type { PoolView, ProxyOperations, SessionView } from "#server/proxy-operations.ts";
import type { Admission } from "#sessions/admission.ts";
import type { Capabilities } from "#sessions/capability.ts";
import type { Session } from "#sessions/session.ts";
import type { SessionStore } from "#sessions/session-store.ts";
import { inspectSession } from "#trajectory/inspect-session.ts";
import { dropSessionFiles, readSessionFiles } from "#trajectory/session-files.ts";
import { countLossy } from "#tree/lossy-tokens.ts";

/** Journal, keys and settings. */
const OWN_FOLDER = "proxy";
const LONGEST_NAME = 200;
const LONGEST_PATH = 3_500;
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
    return Promise.all(
      pools.list().map(async ({ id, config }) => ({
        ...config,
        id,
        replicas: await Promise.all(pools.get(id).engines.replicas.map(viewReplica)),
      })),
    );
  }

  async openSession(asked: CreateSession): Promise<OpenedSession> {
    const open = this.#fill(asked);
    await this.#refuseLinksOut(open.directory);
    const session = await this.#store.openSession(open);
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

  async readFiles(sessionId: string): Promise<SessionFiles> {
    return readSessionFiles(this.#completedPath(sessionId));
  }

  async dropFiles(sessionId: string): Promise<void> {
    await dropSessionFiles(this.#completedPath(sessionId));
  }

  sample(asked: SampleOutside, signal: AbortSignal): Promise<SampledOutside> {
    return sampleOutside(this.#store.pools, asked, signal);
  }

  score(asked: ScoreOutside, signal: AbortSignal): Promise<ScoredOutside> {
    return scoreOutside(this.#store.pools, asked, signal);
  }

  metrics(): Promise<string> {
    this.#metrics.sessions.set(this.#store.list().length);
    this.#metrics.freeDisk.set(this.#admission.freeDiskBytes);
    return this.#metrics.registry.metrics();
  }

  #completedPath(sessionId: string): string {
    const path = this.#store.frozenPath(sessionId);
    if (path !== null) return path;
    throw new AppError("NOT_FOUND", {
      userMessage: `There is no completed session ${sessionId}.`,
    });
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
    if (Number.isNaN(Date.parse(open.expiresAt)))
      throw new AppError("BAD_REQUEST", {
        userMessage: `expiresAt: ${JSON.stringify(open.expiresAt.slice(0, 60))} is no time. Give one like 2027-01-31T12:00:00Z.`,
      });
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

  /** Whoever holds the token may choose a folder, but none outside the proxy's own data, nor among what the proxy itself keeps there. */
  #within(directory: string): string {
    const root = resolve(this.#plan.dataDir);
    const path = resolve(root, directory);
    const steps = relative(root, path).split(sep);
    const isBelow = steps[0] !== ".." && steps[0] !== "" && steps[0] !== OWN_FOLDER;
    const fits = path.length <= LONGEST_PATH && steps.every((step) => step.length <= LONGEST_NAME);
    if (isBelow && fits && !path.includes("\0")) return path;
    throw new AppError("BAD_REQUEST", {
      userMessage: `directory: ${JSON.stringify(directory.slice(0, 200))} is not a folder below ${root} that sessions may have (${OWN_FOLDER} is the proxy's own; a name has up to ${LONGEST_NAME} characters). Leave it out, or name another.`,
    });
  }

  /** A link below the proxy's data may lead out of it. */
  async #refuseLinksOut(path: string): Promise<void> {
    const root = await realpath(this.#plan.dataDir);
    const real = await realPlace(path);
    const [first] = relative(root, real).split(sep);
    if (first !== "..") return;
    throw new AppError("BAD_REQUEST", {
      userMessage: `directory: ${path} leads to ${real}, outside ${root}. Name a folder that is no link out of it.`,
    });
  }
}

/** Where the deepest part of the path that exists really lies. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    return realPlace(dirname(path));
  }
}

/** Counts alone: somebody may watch thousands of sessions. */
function summaryOf(session: Session): SessionView {
  const { calls, tree, turns, open } = session;
  const { nodes } = tree;
  return {
    ...open,
    status: "open",
    calls: calls.size,
    nodes: nodes.length,
    inFlight: turns.size,
    lossy: countLossy(nodes),
    progress: session.progress(),
  };
}

async function viewReplica({ url, backend, inFlight, capacity, healthy, draining }: Replica) {
  // As it is known: an engine that is away would hold the answer up.
  const weightVersion = await backend.weightVersion(Number.POSITIVE_INFINITY);
  return {
    ...{ url, inFlight, healthy, draining, weightVersion },
    // Engines by address are not held to a number.
    capacity: Number.isFinite(capacity) ? capacity : null,
  };
}
