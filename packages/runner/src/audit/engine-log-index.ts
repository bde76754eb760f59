import { createReadStream } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { EngineLogRecord } from "@liverl/contract/engine-api";

interface Place {
  file: number;
  offset: number;
  length: number;
  /** Records with this request id. */
  count: number;
  claims: number;
}

const NEWLINE = 10;

/** Where each request's line lies in the engines' logs, so that the logs never have to fit into memory. */
export class EngineLogIndex {
  readonly #places = new Map<string, Place>();
  readonly #files: FileHandle[] = [];
  /** Lines that are not a record; a torn last line of a killed engine is none of them. */
  readonly unreadable: string[] = [];

  static async open(runDir: string): Promise<EngineLogIndex> {
    const index = new EngineLogIndex();
    const names = (await readdir(runDir)).filter((name) => /^engine-.*\.jsonl$/.test(name)).sort();
    for (const name of names) await index.#scan(join(runDir, name));
    return index;
  }

  async #scan(path: string): Promise<void> {
    const file = this.#files.push(await open(path, "r")) - 1;
    let offset = 0;
    let pending: Buffer = Buffer.alloc(0);
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      const bytes: Buffer = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk;
      let from = 0;
      for (let end = bytes.indexOf(NEWLINE, from); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
        this.#note(path, bytes.subarray(from, end), {
          file,
          offset: offset + from,
          length: end - from,
        });
        from = end + 1;
      }
      offset += from;
      pending = bytes.subarray(from);
    }
  }

  #note(path: string, line: Buffer, place: { file: number; offset: number; length: number }): void {
    if (line.length === 0) return;
    // Engines write the id first; only a line of another layout is parsed whole here.
    const head = /^\{"requestId":"([A-Za-z0-9._-]+)"/.exec(
      line.subarray(0, 300).toString("latin1"),
    )?.[1];
    const requestId = head ?? parseRecord(line)?.requestId;
    if (requestId === undefined) {
      this.unreadable.push(`${path} at byte ${place.offset}`);
      return;
    }
    const known = this.#places.get(requestId);
    if (known) known.count++;
    else this.#places.set(requestId, { ...place, count: 1, claims: 0 });
  }

  /** The record, and how often it stands in the logs and was asked for before. Null where there is none. */
  async claim(
    requestId: string,
  ): Promise<{ record: EngineLogRecord | null; count: number; earlierClaims: number } | null> {
    const place = this.#places.get(requestId);
    const file = place && this.#files[place.file];
    if (!place || !file) return null;
    const bytes = Buffer.allocUnsafe(place.length);
    await file.read(bytes, 0, place.length, place.offset);
    return { record: parseRecord(bytes), count: place.count, earlierClaims: place.claims++ };
  }

  has(requestId: string): boolean {
    return this.#places.has(requestId);
  }

  /** Request ids that nothing has claimed. */
  *unclaimed(): Generator<string> {
    for (const [requestId, place] of this.#places) if (place.claims === 0) yield requestId;
  }

  async close(): Promise<void> {
    await Promise.all(this.#files.map((file) => file.close()));
  }
}

function parseRecord(line: Buffer): EngineLogRecord | null {
  try {
    return EngineLogRecord.safeParse(JSON.parse(line.toString("utf8"))).data ?? null;
  } catch {
    return null;
  }
}
