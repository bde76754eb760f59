import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "#kube/kube-client.ts";
import type { RayJobObject } from "#kube/rayjob.ts";

/** A watch whose server hangs says nothing: what it told is believed for this long, then the RayJob is read anew. */
const BELIEVED_MS = 30_000;
const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 15_000;

/**
 * Keeps up with one RayJob: reads it, then watches from its version on. Whatever ends a watch (its time limit, 410 Gone, a
 * lost connection) it is read and watched anew, with growing pauses while the server is away.
 */
export class RayJobWatch {
  readonly #kube: () => KubeClient;
  #latest: RayJobObject | null = null;
  #until = 0;
  #hasNews = false;

  constructor(kube: () => KubeClient) {
    this.#kube = kube;
  }

  /** Null where it is not known just now: it must be read. */
  latest(): RayJobObject | null {
    this.#hasNews = false;
    return performance.now() < this.#until ? this.#latest : null;
  }

  /** Whether something was told since `latest` was asked. */
  hasNews(): boolean {
    return this.#hasNews;
  }

  /** Until `signal`. */
  async follow(name: string, signal: AbortSignal): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted) {
      try {
        const job = await this.#kube().getRayJob(name);
        this.#learn(job);
        waitMs = FIRST_WAIT_MS;
        await this.#kube().watchRayJob(
          name,
          job.metadata.resourceVersion,
          (told) => this.#learn(told),
          signal,
        );
      } catch {
        // Who asks for its state reads it, and is told why.
        waitMs = Math.min(waitMs * 2, MOST_WAIT_MS);
      }
      this.#until = 0;
      await sleep(waitMs * (0.8 + 0.4 * Math.random()), undefined, { signal }).catch(
        () => undefined,
      );
    }
  }

  #learn(job: RayJobObject | null): void {
    this.#latest = job;
    this.#hasNews = true;
    this.#until = job === null ? 0 : performance.now() + BELIEVED_MS;
  }
}
