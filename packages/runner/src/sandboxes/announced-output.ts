import type { BoundedOutput } from "#sandboxes/bounded-output.ts";

/** A process number and its line's end have far less. */
const MAX_LINE_BYTES = 32;
const GROUP = /^[1-9]\d{0,9}$/;

/**
 * What a command writes whose shell first says the process group that it leads. The shell may be the agent's own: a first
 * line that is no group, or has no end, is output as all else.
 */
export class AnnouncedOutput {
  /** Null until it was said, and where it never is. */
  group: number | null = null;
  #first: Buffer | null = Buffer.alloc(0);
  readonly #output: BoundedOutput;

  constructor(output: BoundedOutput) {
    this.#output = output;
  }

  push(chunk: Buffer): void {
    if (this.#first === null) {
      this.#output.push(chunk);
      return;
    }
    const first = Buffer.concat([this.#first, chunk]);
    const end = first.subarray(0, MAX_LINE_BYTES).indexOf("\n");
    if (end < 0 && first.length < MAX_LINE_BYTES) {
      this.#first = first;
      return;
    }
    this.#first = null;
    const line = first.toString("latin1", 0, Math.max(end, 0));
    // Group 1 is the sandbox itself.
    const isGroup = GROUP.test(line) && line !== "1";
    if (isGroup) this.group = Number(line);
    this.#output.push(isGroup ? first.subarray(end + 1) : first);
  }

  text(): string {
    return (this.#first?.toString("utf8") ?? "") + this.#output.text();
  }
}
