const PASSED = Promise.resolve();
/** More would be a longer stall; fewer, less that one fsync of the journal serves. */
const AT_ONCE = 4;

/**
 * Lets few pieces of work, each of a millisecond or two, begin in one turn of the event loop, so that of calls that arrive together
 * none, nor a health check, waits for all the others at once. The first of a turn pass without waiting.
 */
export class Turnstile {
  readonly #waiting: (() => void)[] = [];
  #passed = 0;

  /** Resolves when the piece may begin, in order of arrival. */
  pass(): Promise<void> {
    if (this.#passed >= AT_ONCE) return new Promise((resolve) => this.#waiting.push(resolve));
    if (this.#passed === 0) setImmediate(() => this.#nextTurn());
    this.#passed += 1;
    return PASSED;
  }

  #nextTurn(): void {
    const next = this.#waiting.splice(0, AT_ONCE);
    this.#passed = next.length;
    if (next.length > 0) setImmediate(() => this.#nextTurn());
    for (const resolve of next) resolve();
  }
}
