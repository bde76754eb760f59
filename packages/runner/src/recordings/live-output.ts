import { stat } from "node:fs/promises";
import type { Sandbox } from "#sandboxes/sandbox.ts";

/** Nobody reads faster than that, and a daemon has other work. */
const EVERY_MS = 2_000;
/** A page shows no more of a file: what grows beyond comes once, at the end. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A file that an agent writes in its sandbox, brought out while somebody looks at it. No program of the sandbox has a part in that. */
export class LiveOutput {
  readonly #sandbox: Pick<Sandbox, "download">;
  readonly #from: string;
  readonly #to: string;
  #bringing: Promise<void> | null = null;
  #nextAt = Number.NEGATIVE_INFINITY;
  #isOver = false;

  constructor(sandbox: Pick<Sandbox, "download">, { from, to }: { from: string; to: string }) {
    this.#sandbox = sandbox;
    this.#from = from;
    this.#to = to;
  }

  /** Resolves when what was written up to now can be read; at once where that was just done. Never throws: there is another look. */
  async bring(): Promise<void> {
    if (this.#isOver || performance.now() < this.#nextAt) return;
    this.#bringing ??= this.#copy().finally(() => {
      this.#bringing = null;
      this.#nextAt = performance.now() + EVERY_MS;
    });
    await this.#bringing;
  }

  /** From here on the file is somebody else's to write. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#bringing;
  }

  async #copy(): Promise<void> {
    try {
      await this.#sandbox.download(this.#from, this.#to);
      this.#isOver ||= (await stat(this.#to)).size > MAX_BYTES;
    } catch {
      // Not there yet, or the sandbox is about to end: its trial says so.
    }
  }
}
