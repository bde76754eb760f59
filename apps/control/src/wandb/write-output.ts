import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** Lines that a client may leave out before its next one; what is further away follows the last that came. */
const MOST_MISSING = 10_000;

/**
 * Writes console lines at their number into a log that has `count` lines: a progress bar writes its line again and again, and a
 * request that was repeated brings lines that are there. Answers how many lines there are now; durable when it does.
 */
export async function writeOutput(
  path: string,
  count: number,
  { offset: told, lines }: { offset: number; lines: readonly string[] },
): Promise<number> {
  if (lines.length === 0) return count;
  const offset = told - count > MOST_MISSING ? count : told;
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, "a+").then((made) => made.close().then(() => open(path, "r+")));
  try {
    const from = Math.min(offset, count);
    const { start, kept } = await cutBack(handle, count - from);
    // Lines that never came keep their place, empty; those behind the new ones stay.
    const missing = Array.from({ length: offset - from }, () => "");
    const text = [...missing, ...lines.map(oneLine), ...kept.slice(lines.length)];
    const bytes = Buffer.from(text.map((line) => `${line}\n`).join(""));
    await handle.truncate(start);
    await handle.write(bytes, 0, bytes.length, start);
    await handle.sync();
    return from + text.length;
  } finally {
    await handle.close();
  }
}

const oneLine = (line: string) => line.replaceAll("\n", " ");

/** Where the last `back` lines begin, and what they are. A file that lost lines, in a crash say, is taken as it is. */
async function cutBack(
  handle: FileHandle,
  back: number,
): Promise<{ start: number; kept: string[] }> {
  const { size } = await handle.stat();
  if (back <= 0) return { start: size, kept: [] };
  let tail = Buffer.alloc(0);
  for (let start = size; ; ) {
    const newlines = placesOf(tail);
    // The newline before the first of them, or the file's own start.
    const before = newlines.at(-1 - back);
    if (before !== undefined || start === 0) {
      const cut = before === undefined ? 0 : before + 1;
      const text = tail.subarray(cut).toString("utf8");
      return { start: start + cut, kept: text === "" ? [] : text.replace(/\n$/, "").split("\n") };
    }
    const length = Math.min(BLOCK_BYTES + tail.length, start);
    const block = Buffer.alloc(length);
    await handle.read(block, 0, length, start - length);
    tail = Buffer.concat([block, tail]);
    start -= length;
  }
}

function placesOf(bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1))
    places.push(at);
  return places;
}
