/** Lets so many through a second, one after the other, in order. */
export class RateLimit {
  readonly #everyMs: number;
  readonly #waiting = new Set<() => void>();
  #nextAt = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(perSecond: number) {
    this.#everyMs = 1_000 / perSecond;
  }

  /** Resolves with its turn. Throws the signal's reason, and then takes nobody's turn. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const settle = () => {
        signal.removeEventListener("abort", settle);
        this.#waiting.delete(settle);
        resolve();
      };
      signal.addEventListener("abort", settle, { once: true });
      this.#waiting.add(settle);
      this.#schedule();
    });
    signal.throwIfAborted();
  }

  /** Lets nobody through for so long: who was refused is not the only one that has to wait. */
  holdBack(ms: number): void {
    this.#nextAt = Math.max(this.#nextAt, performance.now() + ms);
  }

  #schedule(): void {
    if (this.#timer !== null || this.#waiting.size === 0) return;
    const waitMs = Math.max(0, this.#nextAt - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#letOneThrough();
      this.#schedule();
    }, waitMs);
  }

  #letOneThrough(): void {
    const now = performance.now();
    const [first] = this.#waiting;
    if (!first || now < this.#nextAt) return;
    this.#nextAt = now + this.#everyMs;
    first();
  }
}
