import { readFile } from "node:fs/promises";
import { TrainerCommand } from "@liverl/contract/trainer";
import { isMissing } from "@liverl/durable/atomic-file";

/** Reads what control appended to `commands.jsonl` since the last look. Each command is given once. */
export class CommandReader {
  readonly #path: string;
  readonly #seen = new Set<string>();

  constructor(path: string) {
    this.#path = path;
  }

  async take(): Promise<TrainerCommand[]> {
    const text = await readFile(this.#path, "utf8").catch((error: unknown) => {
      if (isMissing(error)) return "";
      throw error;
    });
    // The last piece has no newline yet: control is still writing it.
    const lines = text.split("\n").slice(0, -1);
    const fresh = lines
      .map((line) => TrainerCommand.parse(JSON.parse(line)))
      .filter((command) => !this.#seen.has(command.id));
    for (const { id } of fresh) this.#seen.add(id);
    return fresh;
  }
}
