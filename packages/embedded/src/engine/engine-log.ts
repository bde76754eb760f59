import { type FileHandle, open } from "node:fs/promises";
import type { EngineLogRecord } from "@liverl/contract/engine-api";

interface Waiting {
  line: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** The engine's own record of what it sampled. Records that come while the disk is busy share one write and one sync. */
export class EngineLog {
  #queue: Waiting[] = [];
  #isWriting = false;

  private constructor(readonly file: FileHandle) {}

  static async open(path: string): Promise<EngineLog> {
    const file = await open(path, "a");
    // A line that a crash cut off must not run into the next one.
    const { size } = await file.stat();
    if (size > 0 && !(await endsWithNewline(path, size))) await file.write("\n");
    return new EngineLog(file);
  }

  /** Resolves when the record is on disk. */
  append(record: EngineLogRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ line: `${JSON.stringify(record)}\n`, resolve, reject });
      if (!this.#isWriting) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await this.file.appendFile(batch.map(({ line }) => line).join(""));
        await this.file.datasync();
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

async function endsWithNewline(path: string, size: number): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0] === 10;
  } finally {
    await file.close();
  }
}
