import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Entry, extract } from "tar-stream";
import type { Excludes } from "#sandboxes/exclude-paths.ts";
import type { Downloaded } from "#sandboxes/sandbox.ts";

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_ENTRIES = 20_000;
const MAX_NAMED = 100;

/**
 * Unpacks what a sandbox gave, whose every byte may be hostile: plain files and folders alone, none outside `to`, within
 * a bound. The archive's first part is the thing's own name: a folder's content lands in `to`, a file becomes `to`. What is
 * excluded is passed over and counts for nothing.
 */
export async function unpackArchive(
  archive: Readable,
  to: string,
  excludes: Excludes = () => false,
): Promise<Downloaded> {
  const tar = extract();
  const feeding = pipeline(archive, tar);
  feeding.catch(() => undefined);
  const leftOut: string[] = [];
  const taken: Downloaded = { kind: "directory", files: 0, bytes: 0, leftOut };
  let entries = 0;
  for await (const entry of tar) {
    const { name, type, size = 0 } = entry.header;
    const way = wayOf(name);
    if (way !== null && way.length > 0 && excludes(way)) {
      entry.resume();
      continue;
    }
    entries++;
    const isTooMuch = entries > MAX_ENTRIES || taken.bytes + size > MAX_BYTES;
    if (way === null || isTooMuch || (type !== "file" && type !== "directory")) {
      if (leftOut.length < MAX_NAMED) leftOut.push(name);
      entry.resume();
      continue;
    }
    if (entries === 1 && type === "file") taken.kind = "file";
    await take(entry, join(to, ...way));
    if (type === "file") {
      taken.files++;
      taken.bytes += size;
    }
  }
  await feeding;
  return taken;
}

async function take(entry: Entry, path: string): Promise<void> {
  if (entry.header.type === "directory") {
    await mkdir(path, { recursive: true });
    entry.resume();
    return;
  }
  await mkdir(dirname(path), { recursive: true });
  // A program stays one: a verifier with a sandbox of its own may have to run it.
  const mode = (entry.header.mode ?? 0) & 0o100 ? 0o755 : 0o644;
  // Never through something that is there: nothing but this writes below `to`.
  await pipeline(entry, createWriteStream(path, { flags: "w", mode }));
}

/** Parts of a name below the thing itself; null where it leads out. */
function wayOf(name: string): string[] | null {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  const isBad = name.startsWith("/") || parts.some((part) => part === ".." || part.includes("\0"));
  return isBad ? null : parts.slice(1);
}
