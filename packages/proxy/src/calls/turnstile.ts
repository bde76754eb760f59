const PASSED = Promise.resolve();
/** No piece begins later than this in a turn of the event loop. */
const SHARE_MS = 6;

/**
 * Spreads pieces of work, each of a millisecond or two, over turns of the event loop, so that of calls that arrive together none,
 * nor a health check, waits for all the others at once. The first piece of a turn passes without waiting.
 */
export class Turnstile {
  readonly #waiting: (() => void)[] = [];
  /** When the first piece of this turn began; null while none has. */
  #beganAt: number | null = null;

  /** Resolves when the piece may begin, in order of arrival. */
  pass(): Promise<void> {
    if (this.#beganAt !== null) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#beganAt = performance.now();
    this.#afterPiece();
    return PASSED;
  }

  /** The piece runs in microtasks, up to where it waits for something; then comes this. */
  #afterPiece(): void {
    queueMicrotask(() => process.nextTick(() => this.#goOn()));
  }

  #goOn(): void {
    const elapsed = performance.now() - (this.#beganAt ?? 0);
    if (elapsed < SHARE_MS && this.#release()) return;
    setImmediate(() => {
      this.#beganAt = this.#waiting.length > 0 ? performance.now() : null;
      this.#release();
    });
  }

  #release(): boolean {
    const next = this.#waiting.shift();
    if (!next) return false;
    next();
    this.#afterPiece();
    return true;
  }
}
