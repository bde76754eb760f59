import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";

/** Where a follower stands in a file. */
export interface FilePlace {
  /** Bytes consumed; always the start of a line. */
  position: number;
  /** Counts up when the file turned out to be another one. */
  generation: number;
  /** Hex of the last bytes before `position`. */
  tail: string;
  /** Size and time of the file when nothing new was found: while they stay, it need not be opened. Not kept over restarts. */
  seen?: string;
}

export interface TailedLines {
  place: FilePlace;
  /** Whole lines with their byte offsets, without the newline; empty lines are left out. */
  lines: { offset: number; text: string }[];
  /** When the file was last written, milliseconds since 1970. */
  writtenMs: number;
  /** The file has more whole lines than one read takes. */
  more: boolean;
}

const READ_BYTES = 1024 * 1024;
/** Opening a named pipe waits for its writer otherwise; for files it means nothing. */
export const FILE_ONLY = constants.O_RDONLY | constants.O_NONBLOCK;
/** A line longer than this is cut there, so that one bad file can not fill the memory. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const TAIL_BYTES = 64;

/**
 * Reads the whole lines behind `place`. A last line without its newline waits. A file that shrank, or whose bytes
 * before `place` are not those that were read, is a new one: it is read from its start as the next generation.
 * Null when there is nothing new, or no file. A pipe or a device is none: reading it could wait for ever.
 */
export async function tailFile(path: string, place: FilePlace): Promise<TailedLines | null> {
  const found = await stat(path).catch(() => null);
  if (found && !found.isFile()) return null;
  const seen = found ? `${found.ino}:${found.size}:${found.mtimeMs}` : "";
  if (seen === place.seen) return null;
  const read = await readBehind(path, place);
  if (!read) place.seen = seen;
  return read;
}

async function readBehind(path: string, place: FilePlace): Promise<TailedLines | null> {
  const handle = await open(path, FILE_ONLY).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (!handle) return null;
  try {
    const { size, mtimeMs } = await handle.stat();
    const { position, generation, tail } = await resumeAt(handle, size, place);
    if (size === position)
      return generation === place.generation
        ? null
        : { place: { position, generation, tail }, lines: [], writtenMs: mtimeMs, more: false };
    const bytes = await readWholeLines(handle, position, size);
    if (bytes.length === 0)
      return generation === place.generation
        ? null
        : { place: { position, generation, tail }, lines: [], writtenMs: mtimeMs, more: false };
    const lines: TailedLines["lines"] = [];
    for (let start = 0; start < bytes.length; ) {
      const newline = bytes.indexOf(0x0a, start);
      const end = newline === -1 ? bytes.length : newline;
      const text = bytes.toString("utf8", start, end).trim();
      if (text !== "") lines.push({ offset: position + start, text });
      start = end + 1;
    }
    const next = position + bytes.length;
    return {
      place: { position: next, generation, tail: tailAfter(tail, bytes) },
      lines,
      writtenMs: mtimeMs,
      more: next < size && bytes.length >= READ_BYTES / 2,
    };
  } finally {
    await handle.close();
  }
}

type Handle = Awaited<ReturnType<typeof open>>;

/** Where reading goes on: at the place, or at the start of a file that is another one by now. */
export async function resumeAt(
  handle: Handle,
  size: number,
  { position, generation, tail }: FilePlace,
): Promise<Omit<FilePlace, "seen">> {
  if (position === 0) return { position, generation, tail };
  const from = Math.max(0, position - TAIL_BYTES);
  const before = await readAt(handle, from, position - from);
  return size < position || before.toString("hex") !== tail
    ? { position: 0, generation: generation + 1, tail: "" }
    : { position, generation, tail };
}

/** The tail of a place once `bytes` are consumed, too. */
export function tailAfter(tail: string, bytes: Buffer): string {
  const consumed = Buffer.concat([Buffer.from(tail, "hex"), bytes]);
  return consumed.subarray(Math.max(0, consumed.length - TAIL_BYTES)).toString("hex");
}

export async function readAt(handle: Handle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** Up to and with the last newline within reach; a window without any grows until the line ends or is too long. */
async function readWholeLines(handle: Handle, position: number, size: number): Promise<Buffer> {
  for (let window = READ_BYTES; ; window *= 2) {
    const bytes = await readAt(handle, position, Math.min(window, size - position));
    const newline = bytes.lastIndexOf(0x0a);
    if (newline !== -1) return bytes.subarray(0, newline + 1);
    if (bytes.length >= MAX_LINE_BYTES) return bytes;
    if (bytes.length < window) return bytes.subarray(0, 0);
  }
}
