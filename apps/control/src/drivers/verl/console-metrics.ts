import { appendFile, readFile, stat, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { isMissing, readJson, syncDirectory, writeFileAtomic } from "@liverl/durable/atomic-file";
import { z } from "zod";
import { type ConsoleStep, parseConsoleStep } from "#drivers/verl/parse-console-step.ts";
import { type FilePlace, tailFile } from "#metrics/tail-file.ts";

/** A file of a shared disk may be seen this late: NFS remembers that a name was not there. */
const GRACE_MS = 60_000;

/** `file`: verl's own file lies here. `console`: it lies on another disk, and the console's lines are taken instead. */
const Source = z.object({ source: z.enum(["file", "console"]) });
export type MetricsSource = z.infer<typeof Source>["source"];

/**
 * Metrics of a job that runs elsewhere. Where its file logger's file appears here, nothing is to be done. Where steps are
 * printed and it does not appear, the printed lines are written as such a file. The choice is recorded first and kept.
 */
export class ConsoleMetrics {
  readonly #console: string;
  readonly #metrics: string;
  readonly #record: string;
  readonly #graceMs: number;
  #place: FilePlace = { position: 0, generation: 0, tail: "" };
  #source: MetricsSource | null = null;
  /** Steps read from the console, oldest first, that are not written. */
  #waiting: ConsoleStep[] = [];
  /** Lines of our file that an earlier life wrote: as many steps of the console are skipped. */
  #toSkip = 0;
  #firstSeenMs: number | null = null;
  #following: Promise<unknown> = Promise.resolve();

  constructor(
    paths: { console: string; metrics: string; record: string },
    { graceMs = GRACE_MS }: { graceMs?: number } = {},
  ) {
    this.#console = paths.console;
    this.#metrics = paths.metrics;
    this.#record = paths.record;
    this.#graceMs = graceMs;
  }

  /** Takes what the console has grown by. `isOver`: the job has ended, nothing is waited for. Answers with a source that was just chosen. */
  follow(isOver = false): Promise<MetricsSource | null> {
    const next = this.#following.then(() => this.#follow(isOver));
    this.#following = next.catch(() => undefined);
    return next;
  }

  async #follow(isOver: boolean): Promise<MetricsSource | null> {
    const before = await this.#recall();
    if (before === "file") return null;
    await this.#read();
    const chosen = before ?? (await this.#choose(isOver));
    if (chosen === "console") await this.#write();
    return before === null ? chosen : null;
  }

  async #recall(): Promise<MetricsSource | null> {
    if (this.#source !== null) return this.#source;
    this.#source = (await readJson(this.#record, Source))?.source ?? null;
    if (this.#source === "console") this.#toSkip = await wholeLines(this.#metrics);
    return this.#source;
  }

  async #read(): Promise<void> {
    for (;;) {
      const read = await tailFile(this.#console, this.#place);
      if (!read) return;
      this.#place = read.place;
      for (const { text } of read.lines) {
        const step = parseConsoleStep(text);
        if (!step) continue;
        if (this.#toSkip > 0) this.#toSkip -= 1;
        else this.#waiting.push(step);
      }
    }
  }

  async #choose(isOver: boolean): Promise<MetricsSource | null> {
    if (await isFile(this.#metrics)) return this.#keep("file");
    if (this.#waiting.length === 0) return null;
    this.#firstSeenMs ??= performance.now();
    if (!isOver && performance.now() - this.#firstSeenMs < this.#graceMs) return null;
    return this.#keep("console");
  }

  async #keep(source: MetricsSource): Promise<MetricsSource> {
    await writeFileAtomic(
      this.#record,
      JSON.stringify({ source } satisfies z.infer<typeof Source>),
    );
    this.#source = source;
    return source;
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const steps = this.#waiting;
    const lines = steps.map((step) => `${JSON.stringify(step)}\n`).join("");
    await appendFile(this.#metrics, lines, { flush: true });
    await syncDirectory(dirname(this.#metrics));
    this.#waiting = [];
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
}

/** How many lines the file has; a last one that a crash cut is taken off. */
async function wholeLines(path: string): Promise<number> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  });
  const whole = bytes.lastIndexOf(0x0a) + 1;
  if (whole < bytes.length) await truncate(path, whole);
  let count = 0;
  for (const byte of bytes.subarray(0, whole)) if (byte === 0x0a) count += 1;
  return count;
}
