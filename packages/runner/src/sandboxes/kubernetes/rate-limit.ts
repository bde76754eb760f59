import { setTimeout as sleep } from "node:timers/promises";

/** Lets so many through a second, one after the other, in order. */
export class RateLimit {
  readonly #everyMs: number;
  #nextAt = 0;

  constructor(perSecond: number) {
    this.#everyMs = 1_000 / perSecond;
  }

  async take(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + this.#everyMs;
    if (at > now) await sleep(at - now, undefined, { signal });
  }
}
