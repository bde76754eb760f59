import { open, stat } from "node:fs/promises";
import { FILE_ONLY, type FilePlace, readAt, resumeAt, tailAfter } from "#metrics/tail-file.ts";
import { type SplitRecords, splitRecords } from "#tensorboard/split-records.ts";

const READ_BYTES = 1024 * 1024;
/** A record longer than this is not waited for: it holds no scalars. */
const MAX_WINDOW_BYTES = 64 * 1024 * 1024;

export interface TailedEvents {
  place: FilePlace;
  records: SplitRecords["records"];
  /** The file has more whole records than one read takes. */
  more: boolean;
  /** Byte of a record whose sum is wrong: reading stops before it until it is mended. */
  brokenAt: number | null;
}

/** Reads the whole records of an event file behind `place`. A last one that is not all there waits. Null when there is nothing new. */
export async function tailEvents(path: string, place: FilePlace): Promise<TailedEvents | null> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) return null;
  const seen = `${found.ino}:${found.size}:${found.mtimeMs}`;
  if (seen === place.seen) return null;
  const handle = await open(path, FILE_ONLY);
  try {
    const { size } = await handle.stat();
    const { position, generation, tail } = await resumeAt(handle, size, place);
    const { bytes, split } = await readWhole(handle, position, size);
    const isNew = generation !== place.generation;
    const { records, consumed, rest } = split;
    if (consumed === 0 && !isNew && rest !== "broken") {
      place.seen = seen;
      return null;
    }
    const next = position + consumed;
    const brokenAt = rest === "broken" ? next : null;
    return {
      place: {
        ...{ position: next, generation, tail: tailAfter(tail, bytes.subarray(0, consumed)) },
        // Nothing can be read on from here before the file changes.
        ...(brokenAt === null ? {} : { seen }),
      },
      records: records.map(({ offset, data }) => ({ offset: position + offset, data })),
      more: rest !== "broken" && consumed > 0 && next < size,
      brokenAt,
    };
  } finally {
    await handle.close();
  }
}

/** A window that holds no whole record grows, as far as one may. */
async function readWhole(
  handle: Parameters<typeof readAt>[0],
  position: number,
  size: number,
): Promise<{ bytes: Buffer; split: SplitRecords }> {
  for (let window = READ_BYTES; ; window *= 4) {
    const bytes = await readAt(handle, position, Math.min(window, size - position));
    const split = splitRecords(bytes);
    if (split.consumed > 0 || split.rest !== "more" || bytes.length < window)
      return { bytes, split };
    if (window >= MAX_WINDOW_BYTES) return { bytes, split: { ...split, rest: "broken" } };
  }
}
