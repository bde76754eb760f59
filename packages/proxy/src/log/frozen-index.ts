import { constants } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { isMissing } from "@liverl/durable/atomic-file";
import { z } from "zod";

const Line = z.tuple([z.string(), z.string()]);

/**
 * Where the trajectory of each completed session lies: one line `["<session>","<path>"]` each. It answers
 * repeated completions after the session's journal records are gone. The journal still holds what a crash
 * tears off this file's end, because {@link sync} comes before records are dropped.
 */
export class FrozenIndex {
  readonly #paths: Map<string, string>;
  readonly #handle: FileHandle;
  #writing: Promise<unknown> = Promise.resolve();

  /** Whether the file ends in a torn line, which must not swallow the next one. */
  #torn: boolean;

  private constructor(paths: Map<string, string>, handle: FileHandle, torn: boolean) {
    this.#paths = paths;
    this.#handle = handle;
    this.#torn = torn;
  }

  static async open(path: string): Promise<FrozenIndex> {
    const { paths, torn } = await readIndex(path);
    const handle = await open(
      path,
      constants.O_RDWR | constants.O_CREAT | constants.O_APPEND,
      0o600,
    );
    return new FrozenIndex(paths, handle, torn);
  }

  /** What the file says by now, by session; nothing where there is none. */
  static async read(path: string): Promise<ReadonlyMap<string, string>> {
    return (await readIndex(path)).paths;
  }

  find(sessionId: string): string | null {
    return this.#paths.get(sessionId) ?? null;
  }

  async record(sessionId: string, path: string): Promise<void> {
    if (this.#paths.get(sessionId) === path) return;
    const append = this.#writing.then(() => this.#append(`${JSON.stringify([sessionId, path])}\n`));
    this.#writing = append.catch(() => undefined);
    await append;
    this.#paths.set(sessionId, path);
  }

  async #append(line: string): Promise<void> {
    const text = this.#torn ? `\n${line}` : line;
    // A full disk may take a part of it.
    this.#torn = true;
    await this.#handle.appendFile(text);
    this.#torn = false;
  }

  async sync(): Promise<void> {
    await this.#writing;
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#handle.close();
  }
}

async function readIndex(path: string): Promise<{ paths: Map<string, string>; torn: boolean }> {
  const text = await readFile(path, "utf8").catch((error) => {
    if (isMissing(error)) return "";
    throw error;
  });
  const paths = new Map<string, string>();
  for (const line of text.split("\n")) {
    const entry = parseLine(line);
    if (entry) paths.set(...entry);
  }
  return { paths, torn: text !== "" && !text.endsWith("\n") };
}

function parseLine(line: string): [string, string] | null {
  try {
    return Line.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    // An empty or torn line: the journal has that session.
    return null;
  }
}
