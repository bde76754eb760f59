import { setImmediate as nextTurn } from "node:timers/promises";

/** Takes a signal that aborts when nobody waits for it any longer; never throws. */
type Job = (signal: AbortSignal) => Promise<void>;

/**
 * Work of one session beside its calls, one job at a time. The newest comes first: its prompt holds those of the older
 * ones as a rule, which then find nothing left to do.
 */
export class ScoreQueue {
  readonly #waiting: Job[] = [];
  readonly #controller = new AbortController();
  #working: Promise<void> | null = null;
  #isBusy = false;
  #isClosed = false;
  /** Nodes that an engine was asked about, whatever came of it. */
  readonly asked = new Set<number>();
  /** The engine can not score. */
  isRefused = false;
  /** The log says already that something was not scored. */
  isTold = false;

  add(job: Job): void {
    if (this.#isClosed) return;
    this.#waiting.push(job);
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    // The answer of the call that brings the job leaves first.
    await nextTurn();
    for (let job = this.#waiting.pop(); job; job = this.#waiting.pop()) {
      this.#isBusy = true;
      await job(this.#controller.signal);
      this.#isBusy = false;
    }
    this.#working = null;
  }

  /** The job that runs, or else the next one, may end within `withinMs`; the others are dropped. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    this.#waiting.splice(0, this.#waiting.length - (this.#isBusy ? 0 : 1));
    if (withinMs === 0) this.#controller.abort();
    const timer = setTimeout(() => this.#controller.abort(), withinMs);
    await this.#working;
    clearTimeout(timer);
  }
}
