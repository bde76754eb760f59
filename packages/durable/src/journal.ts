import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { AppError } from "@liverl/contract/app-error";
import { syncDirectory } from "#atomic-file.ts";

/**
 * length (u32 LE, its highest bit set where a batch begins) · crc32 of the payload (u32 LE) · payload (JSON, UTF-8).
 * A batch is one write and one fsync, and the next one is written after it: only the last one can be torn.
 */
const HEADER_BYTES = 8;
const BATCH_BEGINS = 0x80000000;
const MAX_RECORD_BYTES = 256 * 1024 * 1024;
/**
 * On Linux a write that returns when its bytes are durable: what write and fdatasync do, in one trip to the thread pool. Elsewhere
 * (macOS, whose flag does not reach the disk's own cache) the two stay two.
 */
const DURABLE_WRITES = process.platform === "linux" ? constants.O_DSYNC : 0;

export interface JournalEntry {
  /** Counts from 1 over the journal's life. */
  seq: number;
  record: unknown;
}

export interface Journal {
  /** Resolves once the record is on disk. Records appended together share one fsync. */
  append(record: unknown): Promise<{ seq: number }>;
  /** Every durable record with `seq >= fromSeq`, in order. */
  replay(fromSeq?: number): AsyncGenerator<JournalEntry>;
  /** Deletes segments whose records all have `seq < before`. */
  truncateBefore(before: number): Promise<void>;
  /** Sequence number of the newest durable record; 0 when empty. */
  readonly lastSeq: number;
  /** Bytes that a torn tail lost at open: never acknowledged, so nobody misses them. */
  readonly tornBytes: number;
  close(): Promise<void>;
}

interface Segment {
  firstSeq: number;
  path: string;
}

const segmentName = (firstSeq: number) => `${String(firstSeq).padStart(16, "0")}.log`;

async function listSegments(directory: string): Promise<Segment[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{16}\.log$/.test(name)).sort();
  return names.map((name) => ({
    firstSeq: Number(name.slice(0, 16)),
    path: join(directory, name),
  }));
}

/** Splits a segment into its sound records; `soundBytes` is where the first unsound one starts. */
function parseSegment(bytes: Buffer): { records: Buffer[]; soundBytes: number } {
  const records: Buffer[] = [];
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length) {
    const length = lengthAt(bytes, at);
    const end = at + HEADER_BYTES + length;
    // No record is empty: zeros are what a crash leaves where a file had grown and its bytes had not come.
    if (length === 0 || length > MAX_RECORD_BYTES || end > bytes.length) break;
    const payload = bytes.subarray(at + HEADER_BYTES, end);
    if (crc32(payload) !== bytes.readUInt32LE(at + 4)) break;
    records.push(payload);
    at = end;
  }
  return { records, soundBytes: at };
}

function lengthAt(bytes: Buffer, at: number): number {
  return (bytes.readUInt32LE(at) & ~BATCH_BEGINS) >>> 0;
}

/** Whether a sound batch begins after `from`: then what is unsound before it had been acknowledged. */
function hasLaterBatch(bytes: Buffer, from: number): boolean {
  for (let at = from; at + HEADER_BYTES < bytes.length; at++) {
    // The mark is the last byte of the length: most places end here.
    if ((bytes[at + 3] ?? 0) < 0x80) continue;
    const length = lengthAt(bytes, at);
    const end = at + HEADER_BYTES + length;
    if (length === 0 || length > MAX_RECORD_BYTES || end > bytes.length) continue;
    if (crc32(bytes.subarray(at + HEADER_BYTES, end)) === bytes.readUInt32LE(at + 4)) return true;
  }
  return false;
}

function damaged(path: string): AppError {
  return new AppError("INTERNAL", {
    userMessage: `${path} is damaged in the middle: restore it from a copy, or move it away to go on without its records.`,
  });
}

function frame(record: unknown): Buffer {
  const text = JSON.stringify(record);
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + Buffer.byteLength(text));
  bytes.write(text, HEADER_BYTES);
  bytes.writeUInt32LE(bytes.length - HEADER_BYTES, 0);
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_BYTES)), 4);
  return bytes;
}

/**
 * Opens an append-only log of checksummed JSON records. A tail that a crash tore is cut off;
 * damage anywhere else refuses to open, because acknowledged records would be lost silently.
 */
export async function openJournal({
  directory,
  maxSegmentBytes = 64 * 1024 * 1024,
}: {
  directory: string;
  maxSegmentBytes?: number;
}): Promise<Journal> {
  await mkdir(directory, { recursive: true });
  const segments = await listSegments(directory);
  const last = segments.at(-1);
  let lastSeq = last ? last.firstSeq - 1 : 0;
  let size = 0;
  let tornBytes = 0;
  if (last) {
    const bytes = await readFile(last.path);
    const { records, soundBytes } = parseSegment(bytes);
    tornBytes = bytes.length - soundBytes;
    if (tornBytes > 0 && hasLaterBatch(bytes, soundBytes + 1)) throw damaged(last.path);
    if (tornBytes > 0) await truncate(last.path, soundBytes);
    lastSeq += records.length;
    size = soundBytes;
  }
  return new SegmentedJournal(directory, maxSegmentBytes, segments, lastSeq, size, tornBytes);
}

class SegmentedJournal implements Journal {
  readonly #directory: string;
  readonly #maxSegmentBytes: number;
  readonly #segments: Segment[];
  #handle: FileHandle | null = null;
  #size: number;
  #lastSeq: number;
  readonly tornBytes: number;
  #waiting: {
    bytes: Buffer;
    resolve: (done: { seq: number }) => void;
    reject: (error: unknown) => void;
  }[] = [];
  #flushing: Promise<void> | null = null;
  #closed = false;

  constructor(
    directory: string,
    maxSegmentBytes: number,
    segments: Segment[],
    lastSeq: number,
    size: number,
    tornBytes: number,
  ) {
    this.#directory = directory;
    this.#maxSegmentBytes = maxSegmentBytes;
    this.#segments = segments;
    this.#lastSeq = lastSeq;
    this.#size = size;
    this.tornBytes = tornBytes;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  append(record: unknown): Promise<{ seq: number }> {
    if (this.#closed) {
      return Promise.reject(
        new AppError("UNAVAILABLE", {
          userMessage: "The journal is closed: this process is shutting down.",
        }),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes: frame(record), resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** One durable write for all that waits; what arrives meanwhile goes with the next. */
  async #flush(): Promise<void> {
    // A turn of the event loop lets calls that finish together share the first fsync, too.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const handle = await this.#segmentForWrite();
        const bytes = Buffer.concat(batch.map((entry) => entry.bytes));
        bytes.writeUInt32LE((bytes.readUInt32LE(0) | BATCH_BEGINS) >>> 0, 0);
        await this.#writeDurably(handle, bytes);
        for (const entry of batch) entry.resolve({ seq: ++this.#lastSeq });
      } catch (error) {
        for (const entry of batch) entry.reject(asUnavailable(error, this.#directory));
      }
    }
    // In the same breath as the last look at what waits: a record that comes later starts the next flush.
    this.#flushing = null;
  }

  async #writeDurably(handle: FileHandle, bytes: Buffer): Promise<void> {
    try {
      let written = 0;
      while (written < bytes.length) {
        written += (
          await handle.write(bytes, written, bytes.length - written, this.#size + written)
        ).bytesWritten;
      }
      if (DURABLE_WRITES === 0) await handle.datasync();
      this.#size += bytes.length;
    } catch (error) {
      // Nothing of this batch was acknowledged: cut what did reach the file, so that the next batch follows sound records.
      await handle.truncate(this.#size).catch(() => undefined);
      throw error;
    }
  }

  async #segmentForWrite(): Promise<FileHandle> {
    if (this.#handle && this.#size < this.#maxSegmentBytes) return this.#handle;
    const newest = this.#segments.at(-1);
    if (!this.#handle && newest && this.#size < this.#maxSegmentBytes) {
      this.#handle = await open(newest.path, constants.O_RDWR | DURABLE_WRITES);
      return this.#handle;
    }
    await this.#handle?.close();
    const segment = {
      firstSeq: this.#lastSeq + 1,
      path: join(this.#directory, segmentName(this.#lastSeq + 1)),
    };
    this.#handle = await open(
      segment.path,
      constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | DURABLE_WRITES,
    );
    await syncDirectory(this.#directory);
    if (newest?.firstSeq !== segment.firstSeq) this.#segments.push(segment);
    this.#size = 0;
    return this.#handle;
  }

  async *replay(fromSeq = 1): AsyncGenerator<JournalEntry> {
    const upTo = this.#lastSeq;
    for (const [i, segment] of [...this.#segments].entries()) {
      const next = this.#segments[i + 1];
      if (next && next.firstSeq <= fromSeq) continue;
      const { records } = parseSegment(await readFile(segment.path));
      if (next && segment.firstSeq + records.length !== next.firstSeq) {
        throw damaged(segment.path);
      }
      for (const [j, payload] of records.entries()) {
        const seq = segment.firstSeq + j;
        if (seq > upTo) return;
        if (seq >= fromSeq) yield { seq, record: JSON.parse(payload.toString("utf8")) };
      }
    }
  }

  async truncateBefore(before: number): Promise<void> {
    for (;;) {
      const [oldest, next] = this.#segments;
      if (!oldest || !next || next.firstSeq > before) return;
      this.#segments.shift();
      await rm(oldest.path, { force: true });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#flushing;
    await this.#handle?.close();
    this.#handle = null;
  }
}

function asUnavailable(error: unknown, directory: string): AppError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  const why =
    code === "ENOSPC" || code === "EDQUOT" ? "The disk is full" : `Writing failed (${code})`;
  return new AppError("UNAVAILABLE", {
    userMessage: `${why} in ${directory}: nothing was accepted. Free some space and try again.`,
    cause: error,
  });
}
