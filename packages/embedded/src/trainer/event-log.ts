import type { TrainerEvent } from "@liverl/contract/trainer";
import { LineFile } from "#trainer/append-line.ts";

type Stamped = "attempt" | "seq" | "at";
/** An event as its author writes it; attempt, number and time are added. */
export type NewEvent = TrainerEvent extends infer E
  ? E extends unknown
    ? Omit<E, Stamped>
    : never
  : never;

/** `events-<attempt>.jsonl`: every line is on disk before the trainer goes on. */
export class EventLog {
  #seq = 0;

  private constructor(
    readonly file: LineFile,
    readonly attempt: number,
  ) {}

  static async open(path: string, attempt: number): Promise<EventLog> {
    return new EventLog(await LineFile.open(path), attempt);
  }

  async emit(event: NewEvent): Promise<void> {
    await this.file.append({
      ...event,
      attempt: this.attempt,
      seq: this.#seq++,
      at: new Date().toISOString(),
    });
  }

  /** Brackets `work` with a phase's start and its end, described from the value, or its failure. */
  async phase<T>(
    id: string,
    work: () => Promise<T>,
    describe: (value: T) => string | null,
  ): Promise<T> {
    await this.emit({ kind: "phase", id, state: "start", detail: null });
    try {
      const value = await work();
      await this.emit({ kind: "phase", id, state: "end", detail: describe(value) });
      return value;
    } catch (error) {
      await this.emit({
        kind: "phase",
        id,
        state: "fail",
        detail: error instanceof Error ? error.message : String(error),
      });
      throw error;
    }
  }
}
