import type { InferenceBackend } from "#backends/inference-backend.ts";

export interface Replica {
  url: string;
  backend: InferenceBackend;
  inFlight: number;
  healthy: boolean;
}

const CHECK_EVERY_MS = 1_000;
/** Healthy replicas are asked only each so many rounds: a call that fails says it sooner. */
const HEALTHY_ROUNDS = 20;

/** The engines of one pool: sticky by session, else the least loaded, among those that answer. */
export class EngineReplicas {
  readonly replicas: readonly Replica[];
  readonly #timer: NodeJS.Timeout;
  #round = 0;

  constructor(urls: readonly string[], connect: (url: string) => InferenceBackend) {
    this.replicas = urls.map((url) => ({ url, backend: connect(url), inFlight: 0, healthy: true }));
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  /** `preferred`: url of the replica that served the session before. With none healthy, one is tried all the same. */
  choose(preferred: string | null): Replica {
    const healthy = this.replicas.filter((replica) => replica.healthy);
    const sticky = healthy.find((replica) => replica.url === preferred);
    if (sticky) return sticky;
    const candidates = healthy.length > 0 ? healthy : this.replicas;
    const [first, ...others] = candidates;
    if (!first) throw new Error("a pool has at least one engine");
    return others.reduce(
      (best, replica) => (replica.inFlight < best.inFlight ? replica : best),
      first,
    );
  }

  async check(): Promise<void> {
    const all = this.#round++ % HEALTHY_ROUNDS === 0;
    const asked = this.replicas.filter((replica) => all || !replica.healthy);
    await Promise.all(
      asked.map(async (replica) => {
        replica.healthy = await replica.backend.isHealthy();
      }),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.replicas.map((replica) => replica.backend.close()));
  }

  async destroy(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.replicas.map((replica) => replica.backend.destroy()));
  }
}
