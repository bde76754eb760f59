import { z } from "zod";
import { type FilePlace, tailFile } from "#metrics/tail-file.ts";

const Line = z.looseObject({ step: z.number(), data: z.record(z.string(), z.unknown()) });
/** Of an update, not of a validation before the first one. */
const UPDATE = /^(training\/global_step|actor\/|perf\/|timing_s\/)/;

/** Reads what verl's file logger writes, as it grows. */
export class LoggedSteps {
  readonly #path: string;
  #place: FilePlace = { position: 0, generation: 0, tail: "" };
  #last = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The newest step whose update was logged; 0 before the first. fully_async writes several lines a step. */
  async last(): Promise<number> {
    for (;;) {
      const read = await tailFile(this.#path, this.#place);
      if (!read) return this.#last;
      this.#place = read.place;
      for (const { text } of read.lines) this.#last = Math.max(this.#last, updateOf(text));
    }
  }
}

function updateOf(text: string): number {
  try {
    const line = Line.safeParse(JSON.parse(text));
    if (!line.success) return 0;
    return Object.keys(line.data.data).some((key) => UPDATE.test(key)) ? line.data.step : 0;
  } catch {
    return 0;
  }
}
