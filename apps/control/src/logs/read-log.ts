import { open } from "node:fs/promises";
import type { LogLine, LogPage, ReadLog } from "@liverl/contract/views";
import type { Context } from "#context.ts";
import { getLogSource } from "#logs/log-source.ts";
import { parseLogLine } from "#logs/parse-log-line.ts";

const WINDOW_BYTES = 256 * 1024;
/** How far one request searches, and the longest line that it shows: the answer's `start` or `end` says where the next goes on. */
const MAX_SCAN_BYTES = 8 * 1024 * 1024;

type Handle = Awaited<ReturnType<typeof open>>;

/** Lines of a log by byte offset: the end of the file, those before an offset, or those from one on; `q` keeps the lines that contain it. */
export async function readLog(
  ctx: Pick<Context, "db" | "config">,
  input: ReadLog,
): Promise<LogPage> {
  const { path } = await getLogSource(ctx, input.runId, input.source);
  const handle = await open(path, "r").catch(() => null);
  if (!handle) return { lines: [], start: 0, end: 0, sizeBytes: 0 };
  try {
    const { size } = await handle.stat();
    const matches = matcher(input.q);
    const page =
      input.after === undefined
        ? await backwards(handle, Math.min(input.before ?? size, size), input.limit, matches)
        : await forwards(handle, input.after, size, input.limit, matches);
    return { ...page, sizeBytes: size };
  } finally {
    await handle.close();
  }
}

function matcher(q: string | undefined): (line: LogLine) => boolean {
  if (!q) return () => true;
  const wanted = q.toLowerCase();
  return (line) => line.text.toLowerCase().includes(wanted);
}

/** Whole lines from `from` on. A last line without its newline is left for the next read. */
export async function forwards(
  handle: Handle,
  from: number,
  size: number,
  limit: number,
  matches: (line: LogLine) => boolean,
): Promise<Omit<LogPage, "sizeBytes">> {
  const lines: LogLine[] = [];
  // A file that shrank was rotated: it is read from its start.
  let at = from > size ? 0 : from;
  const start = at;
  while (at < size && at - start < MAX_SCAN_BYTES && lines.length < limit) {
    const bytes = await read(handle, at, Math.min(WINDOW_BYTES, size - at));
    const last = bytes.lastIndexOf(0x0a);
    if (last === -1) {
      if (bytes.length < WINDOW_BYTES) break;
      at += bytes.length;
      continue;
    }
    for (const { offset, end, text } of split(bytes.subarray(0, last + 1), at)) {
      if (lines.length === limit) break;
      at = end;
      if (text === "") continue;
      const line = parseLogLine(offset, text);
      if (matches(line)) lines.push(line);
    }
  }
  return { lines, start, end: at };
}

/** The last `limit` matching lines before `before`, oldest first. */
async function backwards(
  handle: Handle,
  before: number,
  limit: number,
  matches: (line: LogLine) => boolean,
): Promise<Omit<LogPage, "sizeBytes">> {
  let lines: LogLine[] = [];
  let at = before;
  let end: number | null = null;
  for (
    let window = WINDOW_BYTES;
    at > 0 && before - at < MAX_SCAN_BYTES && lines.length < limit;
  ) {
    const from = Math.max(0, at - window);
    const bytes = await read(handle, from, at - from);
    // The first line of a window may have begun before it; an unfinished line at the end of the file is not shown yet.
    const first = from === 0 ? 0 : bytes.indexOf(0x0a) + 1;
    const last = bytes.lastIndexOf(0x0a) + 1;
    if (last > 0) end ??= from + last;
    if ((first === 0 && from > 0) || last <= first) {
      if (from > 0 && window < MAX_SCAN_BYTES) window *= 2;
      // A line that is longer than one request reads is stepped over; the next one reads on before this piece of it.
      else at = from;
      continue;
    }
    const found = split(bytes.subarray(first, last), from + first).flatMap(({ offset, text }) =>
      text === "" ? [] : [parseLogLine(offset, text)],
    );
    lines = [...found.filter(matches), ...lines];
    at = from + first;
    window = WINDOW_BYTES;
  }
  const shown = lines.slice(-limit);
  return {
    lines: shown,
    start: lines.length > limit ? (shown[0]?.offset ?? at) : at,
    end: end ?? before,
  };
}

async function read(handle: Handle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function split(bytes: Buffer, base: number): { offset: number; end: number; text: string }[] {
  const lines: { offset: number; end: number; text: string }[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    lines.push({
      offset: base + start,
      end: base + end + 1,
      text: bytes.toString("utf8", start, end).trimEnd(),
    });
    start = end + 1;
  }
  return lines;
}
