import { type FileHandle, open } from "node:fs/promises";

/** A JSONL file whose lines are on disk when `append` resolves. NaN and ±Infinity become null, as in verl's file logger. */
export class LineFile {
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(path: string): Promise<LineFile> {
    return new LineFile(await open(path, "a"));
  }

  async append(record: unknown): Promise<void> {
    await this.#handle.appendFile(`${JSON.stringify(record)}\n`);
    await this.#handle.datasync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
