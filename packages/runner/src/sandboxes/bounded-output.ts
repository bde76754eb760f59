/** The beginning and the end of what a command wrote, within a bound. */
export class BoundedOutput {
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #droppedBytes = 0;
  readonly #half: number;
  readonly #onPush: ((chunk: Buffer) => void) | undefined;

  /** `onPush` is told of all that comes, without a bound. */
  constructor(maxBytes: number, onPush?: (chunk: Buffer) => void) {
    this.#onPush = onPush;
    this.#half = Math.ceil(maxBytes / 2);
  }

  push(chunk: Buffer): void {
    this.#onPush?.(chunk);
    const room = this.#half - this.#headBytes;
    if (room > 0) {
      const fits = chunk.subarray(0, room);
      this.#head.push(Buffer.from(fits));
      this.#headBytes += fits.length;
    }
    const rest = chunk.subarray(Math.max(room, 0));
    if (rest.length === 0) return;
    this.#tail.push(Buffer.from(rest));
    this.#tailBytes += rest.length;
    // Now and then: a copy for each chunk would be quadratic.
    if (this.#tailBytes > this.#half * 2) this.#cut();
  }

  text(): string {
    this.#cut();
    const head = Buffer.concat(this.#head).toString("utf8");
    const tail = Buffer.concat(this.#tail).toString("utf8");
    return this.#droppedBytes === 0
      ? Buffer.concat([...this.#head, ...this.#tail]).toString("utf8")
      : `${head}\n[${this.#droppedBytes} bytes left out]\n${tail}`;
  }

  #cut(): void {
    if (this.#tailBytes <= this.#half) return;
    const kept = Buffer.concat(this.#tail).subarray(-this.#half);
    this.#droppedBytes += this.#tailBytes - kept.length;
    this.#tail = [kept];
    this.#tailBytes = kept.length;
  }
}
