import type { PoolEngine } from "@liverl/contract/proxy-admin";
import { EngineAway, EngineFull, type InferenceBackend } from "#backends/inference-backend.ts";

export interface Replica {
  /** The engine's address, or `relay:<worker>`. */
  url: string;
  backend: InferenceBackend;
  inFlight: number;
  /** Requests that it takes at a time. */
  capacity: number;
  healthy: boolean;
  /** Takes nothing new; it goes when its last request ends. */
  draining: boolean;
  /** Aborts when it has given no sign of life for long: what waits for it is to be sent elsewhere. */
  lost: AbortController;
  /** Health checks that failed in a row. */
  failures: number;
}

interface Waiter {
  preferred: string | null;
  resolve: (replica: Replica) => void;
  reject: (error: Error) => void;
}

const CHECK_EVERY_MS = 1_000;
/** Healthy replicas are asked only each so many rounds: a call that fails says it sooner. */
const HEALTHY_ROUNDS = 20;
/** A busy engine may be late with its health; one that stays silent this long has hung. */
const LOST_AFTER_FAILURES = 15;
const LEAST_QUEUE = 64;
const QUEUE_PER_SLOT = 4;
/** A relay's worker may be late to dial in; a pool without one is away after this. */
const NO_WORKER_MS = 60_000;

/** The engines of one pool: sticky by session, else the least loaded, among those that answer and have room. */
export class EngineReplicas {
  #replicas: Replica[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #connect: (engine: PoolEngine) => InferenceBackend;
  readonly #timer: NodeJS.Timeout;
  #round = 0;
  #isClosed = false;

  constructor(engines: readonly PoolEngine[], connect: (engine: PoolEngine) => InferenceBackend) {
    this.#connect = connect;
    this.follow(engines);
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  get replicas(): readonly Replica[] {
    return this.#replicas;
  }

  /** Engines by address are to be these: new ones join, kept ones keep their requests, others drain. */
  follow(engines: readonly PoolEngine[]): void {
    const urls = engines.map(({ url }) => url);
    for (const replica of [...this.#replicas])
      if (!isRelay(replica.url)) replica.draining = !urls.includes(replica.url);
    for (const engine of engines)
      if (!this.#find(engine.url))
        this.join(engine.url, this.#connect(engine), Number.POSITIVE_INFINITY);
    for (const replica of [...this.#replicas]) this.#closeIfDrained(replica);
    this.#serveWaiting();
  }

  join(url: string, backend: InferenceBackend, capacity: number): Replica {
    const replica: Replica = {
      ...{ url, backend, capacity, inFlight: 0, healthy: true, draining: false, failures: 0 },
      lost: new AbortController(),
    };
    const former = this.#find(url);
    this.#replicas = [...this.#replicas.filter((other) => other !== former), replica];
    former?.backend.destroy().catch(() => {});
    this.#serveWaiting();
    return replica;
  }

  /** It takes so many requests at a time from now on. */
  grant(replica: Replica, capacity: number): void {
    replica.capacity = capacity;
    this.#serveWaiting();
  }

  /** Takes nothing new from now on. */
  drain(replica: Replica): void {
    replica.draining = true;
    this.#closeIfDrained(replica);
  }

  /** A slot of the replica that served the session before, else of the least loaded; waits in line where all are full. */
  acquire(preferred: string | null, signal: AbortSignal): Promise<Replica> {
    if (signal.aborted) return Promise.reject(new Error("nobody waits for the turn"));
    const free = this.#waiting.length === 0 ? this.#choose(preferred) : null;
    if (free) {
      free.inFlight += 1;
      return Promise.resolve(free);
    }
    if (this.#isClosed) return Promise.reject(new EngineAway("the pool was closed"));
    const slots = this.#replicas.reduce((sum, replica) => sum + replica.capacity, 0);
    if (this.#waiting.length >= Math.max(LEAST_QUEUE, slots * QUEUE_PER_SLOT))
      return Promise.reject(new EngineFull("every engine of the pool is full"));
    return this.#queue(preferred, signal);
  }

  #queue(preferred: string | null, signal: AbortSignal): Promise<Replica> {
    return new Promise((resolve, reject) => {
      const leave = (error: Error) => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        end();
        reject(error);
      };
      const gone = () => leave(new Error("nobody waits for the turn", { cause: signal.reason }));
      const timer = setInterval(() => {
        if (this.#open().length === 0)
          leave(new EngineAway("the pool has no engine, and no worker dialled in"));
      }, NO_WORKER_MS);
      const end = () => {
        clearInterval(timer);
        signal.removeEventListener("abort", gone);
      };
      const waiter: Waiter = {
        preferred,
        resolve: (replica) => {
          end();
          resolve(replica);
        },
        reject: leave,
      };
      this.#waiting.push(waiter);
      signal.addEventListener("abort", gone, { once: true });
    });
  }

  release(replica: Replica): void {
    replica.inFlight -= 1;
    this.#closeIfDrained(replica);
    this.#serveWaiting();
  }

  #serveWaiting(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const replica = this.#choose(next.preferred);
      if (!replica) return;
      this.#waiting.shift();
      replica.inFlight += 1;
      next.resolve(replica);
    }
  }

  /** With none healthy, one is tried all the same. */
  #choose(preferred: string | null): Replica | null {
    const open = this.#open();
    const healthy = open.filter((replica) => replica.healthy);
    const candidates = (healthy.length > 0 ? healthy : open).filter(
      ({ inFlight, capacity }) => inFlight < capacity,
    );
    const sticky = candidates.find((replica) => replica.healthy && replica.url === preferred);
    if (sticky) return sticky;
    const [first, ...others] = candidates;
    if (!first) return null;
    return others.reduce(
      (best, replica) => (replica.inFlight < best.inFlight ? replica : best),
      first,
    );
  }

  #open(): Replica[] {
    return this.#replicas.filter((replica) => !replica.draining);
  }

  #find(url: string): Replica | undefined {
    return this.#replicas.find((replica) => replica.url === url);
  }

  #closeIfDrained(replica: Replica): void {
    if (!replica.draining || replica.inFlight > 0) return;
    this.#replicas = this.#replicas.filter((other) => other !== replica);
    // One that was cut off meanwhile has nothing left to close.
    replica.backend.close().catch(() => {});
  }

  async check(): Promise<void> {
    const all = this.#round++ % HEALTHY_ROUNDS === 0;
    const asked = this.#replicas.filter((replica) => all || !replica.healthy);
    await Promise.all(
      asked.map(async (replica) => {
        replica.healthy = await replica.backend.isHealthy();
        replica.failures = replica.healthy ? 0 : replica.failures + 1;
        if (replica.failures < LOST_AFTER_FAILURES || replica.inFlight === 0) return;
        replica.lost.abort();
        replica.lost = new AbortController();
        replica.failures = 0;
      }),
    );
    this.#serveWaiting();
  }

  /** Requests in flight end first. */
  close(): void {
    this.#end();
    for (const replica of this.#replicas) this.drain(replica);
  }

  async destroy(): Promise<void> {
    this.#end();
    await Promise.all(this.#replicas.map((replica) => replica.backend.destroy()));
  }

  #end(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const waiter of [...this.#waiting]) waiter.reject(new EngineAway("the pool was closed"));
  }
}

const isRelay = (url: string) => url.startsWith("relay:");
