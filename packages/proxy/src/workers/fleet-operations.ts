import { AppError } from "@liverl/contract/app-error";
import type {
  SampledOutside,
  SampleOutside,
  ScoredOutside,
  ScoreOutside,
} from "@liverl/contract/engine-question";
import type {
  CompletedSession,
  CompleteSession,
  CreateSession,
  EnginePool,
  OpenedSession,
  SessionFiles,
} from "@liverl/contract/proxy-admin";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { readJson } from "@liverl/durable/atomic-file";
import { Gauge, Registry } from "prom-client";
import type { PoolView, ProxyOperations, SessionView } from "#server/proxy-operations.ts";
import { mintSessionId } from "#sessions/local-operations.ts";
import { dropSessionFiles, readSessionFiles } from "#trajectory/session-files.ts";
import { summariseTrajectory } from "#trajectory/summarise-trajectory.ts";
import { mergeMetrics } from "#workers/merge-metrics.ts";
import type { PoolTable } from "#workers/pool-table.ts";
import type { WorkerProcess } from "#workers/worker-process.ts";

/** The operations over several workers: each session belongs to the one whose journal has it. */
export class FleetOperations implements ProxyOperations {
  state: "starting" | "ready" | "draining" = "starting";
  readonly #workers = new Map<number, WorkerProcess>();
  /** Workers with a lower index get new sessions. */
  readonly #serving: number;
  readonly #pools: PoolTable;
  readonly #owners = new Map<string, number>();
  /** Trajectories of sessions that workers completed which do not run any more. */
  readonly #archive: Map<string, string>;
  readonly #registry = new Registry();
  #turn = 0;

  constructor(options: { serving: number; pools: PoolTable; archive: Map<string, string> }) {
    this.#serving = options.serving;
    this.#pools = options.pools;
    this.#archive = options.archive;
    this.#gauge("liverl_proxy_worker_up", "Whether the worker answers", ({ isUp }) => +isUp);
    this.#gauge("liverl_proxy_worker_restarts", "Times it was started again", (w) => w.restarts);
  }

  get agentUrl(): string | null {
    return this.#workers.get(0)?.agentUrl ?? null;
  }

  get workers(): WorkerProcess[] {
    return [...this.#workers.values()].sort((a, b) => a.index - b.index);
  }

  add(worker: WorkerProcess): void {
    this.#workers.set(worker.index, worker);
  }

  /** The worker is gone for good; what it completed is still answered for. */
  remove(index: number, completed: ReadonlyMap<string, string>): void {
    this.#workers.delete(index);
    for (const [sessionId, path] of completed) this.#archive.set(sessionId, path);
  }

  own(index: number, sessionIds: readonly string[]): void {
    for (const sessionId of sessionIds) this.#owners.set(sessionId, index);
  }

  /** The first worker that takes it decides; the others follow, those that are away when they are back. */
  async putPool(poolId: string, pool: EnginePool): Promise<void> {
    if (pool.relay === true)
      throw new AppError("BAD_REQUEST", {
        userMessage:
          "Workers that dial in reach one process: relay: true needs a proxy with workers: 1.",
      });
    const [first] = this.#up();
    if (!first) throw nobodyUp();
    await first.client.putPool(poolId, pool);
    await this.#pools.put(poolId, pool);
    // Looked up only now: a worker that came up meanwhile may have been told the pools of before.
    await Promise.all(
      this.#up().map((worker) => passOver(worker, (client) => client.putPool(poolId, pool))),
    );
  }

  async deletePool(poolId: string): Promise<void> {
    await this.#pools.delete(poolId);
    await Promise.all(
      this.#up().map((worker) => passOver(worker, (client) => client.deletePool(poolId))),
    );
  }

  /** As the workers see them: each has its own connections to the engines. */
  async listPools(): Promise<PoolView[]> {
    const seen = await Promise.all(
      this.#up().map(async ({ index, client }) =>
        (await client.listPools()).map((pool) => ({ ...pool, worker: index })),
      ),
    );
    return seen.flat();
  }

  async openSession(asked: CreateSession): Promise<OpenedSession> {
    if (this.state === "draining")
      throw new AppError("UNAVAILABLE", {
        userMessage: "The proxy is going down and opens no new session. Ask again.",
      });
    const sessionId = asked.sessionId ?? mintSessionId();
    if (this.#archive.has(sessionId))
      throw new AppError("CONFLICT", {
        userMessage: `Session ${sessionId} is complete: open one with another id.`,
      });
    const isNew = !this.#owners.has(sessionId);
    const worker = isNew ? this.#next() : this.#ownerOf(sessionId);
    // Before anything waits: an equal request that comes now goes to the same worker.
    this.#owners.set(sessionId, worker.index);
    try {
      return await worker.client.openSession({ ...asked, sessionId });
    } catch (error) {
      // A worker that broke off may have it; one that said no has not.
      if (isNew && error instanceof AppError && error.code !== "UNAVAILABLE")
        this.#owners.delete(sessionId);
      throw error;
    }
  }

  async listSessions(): Promise<SessionView[]> {
    const all = this.workers.map(({ client }) => client.listSessions());
    return (await Promise.all(all)).flat();
  }

  async getSession(sessionId: string): Promise<SessionView> {
    const path = this.#archive.get(sessionId);
    if (path !== undefined) return { sessionId, status: "complete", path };
    return this.#ownerOf(sessionId).client.getSession(sessionId);
  }

  inspectSession(sessionId: string, aspect: string): Promise<unknown> {
    return this.#ownerOf(sessionId).client.inspectSession(sessionId, aspect);
  }

  async deleteSession(sessionId: string): Promise<void> {
    if (this.#archive.has(sessionId)) return;
    await this.#ownerOf(sessionId).client.deleteSession(sessionId);
  }

  async completeSession(sessionId: string, end: CompleteSession): Promise<CompletedSession> {
    const path = this.#archive.get(sessionId);
    if (path === undefined) return this.#ownerOf(sessionId).client.completeSession(sessionId, end);
    const trajectory = await readJson(path, ProxyTrajectory);
    if (trajectory) return summariseTrajectory(trajectory, path);
    throw new AppError("NOT_FOUND", {
      userMessage: `The trajectory of session ${sessionId} is gone from ${path}.`,
    });
  }

  async readFiles(sessionId: string): Promise<SessionFiles> {
    const path = this.#archive.get(sessionId);
    if (path !== undefined) return readSessionFiles(path);
    return this.#ownerOf(sessionId).client.readFiles(sessionId);
  }

  async dropFiles(sessionId: string): Promise<void> {
    const path = this.#archive.get(sessionId);
    if (path !== undefined) await dropSessionFiles(path);
    else await this.#ownerOf(sessionId).client.dropFiles(sessionId);
  }

  sample(asked: SampleOutside, signal: AbortSignal): Promise<SampledOutside> {
    return this.#next().client.sample(asked, signal);
  }

  score(asked: ScoreOutside, signal: AbortSignal): Promise<ScoredOutside> {
    return this.#next().client.score(asked, signal);
  }

  async metrics(): Promise<string> {
    const workers = this.#up().map(({ client }) => client.metrics().catch(() => ""));
    return mergeMetrics(await Promise.all([this.#registry.metrics(), ...workers]));
  }

  #up(): WorkerProcess[] {
    return this.workers.filter(({ isUp }) => isUp);
  }

  #next(): WorkerProcess {
    const candidates = this.#up().filter(({ index }) => index < this.#serving);
    const worker = candidates[this.#turn++ % candidates.length];
    if (!worker) throw nobodyUp();
    return worker;
  }

  #ownerOf(sessionId: string): WorkerProcess {
    const index = this.#owners.get(sessionId);
    const worker = index === undefined ? undefined : this.#workers.get(index);
    if (worker) return worker;
    throw new AppError("NOT_FOUND", { userMessage: `There is no open session ${sessionId}.` });
  }

  #gauge(name: string, help: string, read: (worker: WorkerProcess) => number): void {
    const workers = () => this.workers;
    new Gauge({
      name,
      help,
      labelNames: ["worker"],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const worker of workers()) this.set({ worker: worker.index }, read(worker));
      },
    });
  }
}

/** What a worker misses while it is away it gets when it is back. */
async function passOver(
  worker: WorkerProcess,
  ask: (client: WorkerProcess["client"]) => Promise<unknown>,
): Promise<void> {
  try {
    await ask(worker.client);
  } catch (error) {
    const away = error instanceof AppError && error.code === "UNAVAILABLE";
    const gone = error instanceof AppError && error.code === "NOT_FOUND";
    if (!away && !gone) throw error;
  }
}

function nobodyUp(): AppError {
  return new AppError("UNAVAILABLE", {
    userMessage: "No worker of the proxy answers right now. Ask again.",
  });
}
