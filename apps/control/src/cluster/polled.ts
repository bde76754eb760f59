import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import type { Known } from "@liverl/contract/cluster";

const LONGEST_PAUSE_MS = 60_000;
/** What does not answer at once is shown when it does: it must not hold the others up. */
const PATIENCE_MS = 2_500;
/** What was last renewed longer ago than this, because nobody looked, is no answer to who looks now. */
const OLD_MS = 30_000;

/**
 * Asks when somebody looks, once for all who look at a time, at most each `everyMs`, and less often while it fails. Nobody
 * looks: nothing is asked.
 */
export class Polled<T> {
  readonly #ask: () => Promise<T>;
  readonly #everyMs: number;
  readonly #oldMs: number;
  #known: Known<T> = { value: null, at: null, fault: null };
  #asking: Promise<void> | null = null;
  #nextAt = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(everyMs: number, ask: () => Promise<T>, { oldMs = OLD_MS } = {}) {
    this.#everyMs = everyMs;
    this.#ask = ask;
    this.#oldMs = oldMs;
  }

  /** Waits for the first answer alone, also the first after a while; later ones come with the next look. */
  async get(): Promise<Known<T>> {
    const { at, fault } = this.#known;
    const isOld =
      at !== null && Date.now() - Date.parse(at) > Math.max(this.#oldMs, 3 * this.#everyMs);
    if (isOld && fault === null) this.#known = { value: null, at: null, fault: null };
    if (!this.#asking && performance.now() >= this.#nextAt) this.#asking = this.#refresh();
    if (this.#known.at === null && this.#known.fault === null)
      await Promise.race([this.#asking, sleep(PATIENCE_MS, undefined, { ref: false })]);
    return this.#known;
  }

  async #refresh(): Promise<void> {
    try {
      const value = await this.#ask();
      this.#known = { value, at: new Date().toISOString(), fault: null };
      this.#failures = 0;
    } catch (error) {
      const fault = error instanceof AppError ? error.userMessage : String(error);
      this.#known = { ...this.#known, fault };
      this.#failures++;
    }
    const pause = Math.min(this.#everyMs * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#nextAt = performance.now() + pause;
    this.#asking = null;
  }
}
