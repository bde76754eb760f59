import { evaluationKey } from "@liverl/contract/metric";
import { z } from "zod";
import { type FilePlace, tailFile } from "#metrics/tail-file.ts";

const Line = z.looseObject({ step: z.number(), data: z.record(z.string(), z.unknown()) });
/** Of an update, not of a validation before the first one. */
const UPDATE = /^(training\/global_step|actor\/|perf\/|timing_s\/)/;

/** A validation of verl, by the first of its scores. */
export interface LoggedEvaluation {
  step: number;
  key: string;
  value: number;
}

/** Reads what verl's file logger writes, as it grows. */
export class LoggedSteps {
  readonly #path: string;
  #place: FilePlace = { position: 0, generation: 0, tail: "" };
  #last = 0;
  #evaluations: LoggedEvaluation[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  /** The newest step whose update was logged; 0 before the first. fully_async writes several lines a step. */
  async last(): Promise<number> {
    for (;;) {
      const read = await tailFile(this.#path, this.#place);
      if (!read) return this.#last;
      this.#place = read.place;
      for (const { text } of read.lines) this.#take(text);
    }
  }

  /** Validations that {@link last} has read since they were taken last. */
  takeEvaluations(): LoggedEvaluation[] {
    return this.#evaluations.splice(0);
  }

  #take(text: string): void {
    const line = Line.safeParse(parseJson(text)).data;
    if (!line) return;
    const { step, data } = line;
    const keys = Object.keys(data);
    if (keys.some((key) => UPDATE.test(key))) this.#last = Math.max(this.#last, step);
    const key = evaluationKey(keys);
    const value = key === null ? null : data[key];
    if (key !== null && typeof value === "number") this.#evaluations.push({ step, key, value });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
