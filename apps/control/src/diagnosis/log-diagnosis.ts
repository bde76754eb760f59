import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { redactSecrets } from "@liverl/contract/redact-secrets";
import type { RunDiagnosis } from "@liverl/contract/run";
import { isMissing } from "@liverl/durable/atomic-file";
import { chooseCause } from "#diagnosis/choose-cause.ts";
import { ErrorIndex } from "#diagnosis/error-index.ts";
import { FileWatch } from "#metrics/file-watch.ts";

const READ_CHARS = 1024 * 1024;
/** A line that is longer is read in pieces. */
const LONGEST_LINE = 64 * 1024;

/** Reads a log once, as it grows, and tells the cause of its end: memory is bounded, and no part of the file is left out. */
export class LogDiagnosis {
  readonly #path: string;
  readonly #buffer = Buffer.alloc(READ_CHARS);
  #index = new ErrorIndex();
  #decoder = new StringDecoder("utf8");
  #position = 0;
  /** The begin of a line whose end was not written yet, and where it stands. */
  #rest = "";
  #restAt = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads what was written until now. Calls wait for each other. */
  catchUp(): Promise<void> {
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#read());
    return this.#reading;
  }

  /** Keeps up with the log until `signal`. */
  async follow(signal: AbortSignal): Promise<void> {
    const watch = new FileWatch();
    signal.addEventListener("abort", () => watch.close(), { once: true });
    while (!signal.aborted) {
      watch.follow([this.#path]);
      await this.catchUp();
      await watch.wait();
    }
    watch.close();
  }

  /** The cause that the log shows at its end; null where it holds no error. */
  async conclude(): Promise<RunDiagnosis | null> {
    await this.catchUp();
    if (this.#rest !== "") {
      this.#index.feed(this.#restAt, this.#rest);
      this.#rest = "";
      this.#restAt = this.#position;
    }
    return chooseCause(this.#index.found);
  }

  async #read(): Promise<void> {
    const file = await open(this.#path).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (file === null) return;
    try {
      const { size } = await file.stat();
      if (size < this.#position) this.#startAgain();
      for (;;) {
        const { bytesRead } = await file.read(this.#buffer, 0, READ_CHARS, this.#position);
        if (bytesRead === 0) return;
        this.#position += bytesRead;
        this.#feed(this.#decoder.write(this.#buffer.subarray(0, bytesRead)));
      }
    } finally {
      await file.close();
    }
  }

  #feed(text: string): void {
    const whole = this.#rest + text;
    let start = 0;
    let at = this.#restAt;
    for (let end = whole.indexOf("\n"); end !== -1; end = whole.indexOf("\n", start)) {
      const line = whole.slice(start, end);
      this.#index.feed(at, line);
      at += Buffer.byteLength(line) + 1;
      start = end + 1;
    }
    this.#rest = whole.slice(start);
    this.#restAt = at;
    if (this.#rest.length > LONGEST_LINE) {
      this.#index.feed(at, this.#rest);
      this.#restAt += Buffer.byteLength(this.#rest);
      this.#rest = "";
    }
  }

  /** The file is shorter than what was read: it is another one. */
  #startAgain(): void {
    this.#index = new ErrorIndex();
    this.#decoder = new StringDecoder("utf8");
    this.#position = 0;
    this.#rest = "";
    this.#restAt = 0;
  }
}

/** The cause that a log shows, in one line; null where it holds no error. */
export async function explainLog(path: string): Promise<string | null> {
  const diagnosis = await new LogDiagnosis(path).conclude();
  return diagnosis && explain(diagnosis);
}

/** Cause, remedy and the error in its own words. Pure. */
export function explain({ id, cause, fix, error }: RunDiagnosis): string {
  return redactSecrets(id === null ? cause : `${cause} ${fix} (${error})`);
}
