import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Entry, extract } from "tar-stream";
import type { Excludes } from "#sandboxes/exclude-paths.ts";
import type { Downloaded } from "#sandboxes/sandbox.ts";

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_ENTRIES = 20_000;
const MAX_NAMED = 100;
/** What is left out has to come all the same: an archive has no index. A file of holes may say that it has terabytes. */
const MAX_READ_BYTES = 2 * 1024 * 1024 * 1024;
const MAX_READ_ENTRIES = 500_000;
/** A name that this host can not write, or that is another's here: bytes of no text are three each. */
const NO_NAME = new Set(["ENAMETOOLONG", "EILSEQ", "EINVAL", "ENOTDIR", "EISDIR", "EEXIST"]);

/**
 * Unpacks what a sandbox gave, whose every byte may be hostile: plain files and folders alone, none outside `to`, within
 * a bound. The archive's first part is the thing's own name: a folder's content lands in `to`, a file becomes `to`. What is
 * excluded is passed over and counts for nothing but for the bytes that are read: behind those nothing is taken any more.
 */
export async function unpackArchive(
  archive: Readable,
  to: string,
  excludes: Excludes = () => false,
): Promise<Downloaded> {
  const tar = extract();
  const feeding = pipeline(archive, tar);
  feeding.catch(() => undefined);
  const taken = new Taken(to, excludes);
  for await (const entry of tar) {
    if (await taken.take(entry)) continue;
    // Leaving the loop ends the archive, and whoever sends it.
    return taken.found;
  }
  await feeding;
  return taken.found;
}

class Taken {
  readonly #leftOut: string[] = [];
  readonly found: Downloaded = { kind: "directory", files: 0, bytes: 0, leftOut: this.#leftOut };
  readonly #to: string;
  readonly #excludes: Excludes;
  #readBytes = 0;
  #readEntries = 0;
  #entries = 0;

  constructor(to: string, excludes: Excludes) {
    this.#to = to;
    this.#excludes = excludes;
  }

  /** False where the rest is too much to be read. */
  async take(entry: Entry): Promise<boolean> {
    const { name, type, size = 0 } = entry.header;
    this.#readBytes += size;
    if (this.#readBytes > MAX_READ_BYTES || ++this.#readEntries > MAX_READ_ENTRIES) {
      this.#leftOut.push(`${name.slice(0, 1_000)} and all that comes after it`);
      return false;
    }
    const way = wayOf(name);
    if (way !== null && way.length > 0 && this.#excludes(way)) {
      entry.resume();
      return true;
    }
    this.#entries++;
    const isTooMuch = this.#entries > MAX_ENTRIES || this.found.bytes + size > MAX_BYTES;
    const isPlain = type === "file" || type === "directory";
    if (way === null || isTooMuch || !isPlain || !(await write(entry, join(this.#to, ...way)))) {
      if (this.#leftOut.length < MAX_NAMED) this.#leftOut.push(name);
      entry.resume();
      return true;
    }
    if (type !== "file") return true;
    if (this.#entries === 1) this.found.kind = "file";
    this.found.files++;
    this.found.bytes += size;
    return true;
  }
}

/** False where it has a name that can not be written here. */
async function write(entry: Entry, path: string): Promise<boolean> {
  const file = await openPlace(entry, path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && NO_NAME.has(String(error.code))) return null;
    throw error;
  });
  if (file === null) return false;
  if (file === "folder") entry.resume();
  else await pipeline(entry, file.createWriteStream());
  return true;
}

async function openPlace({ header }: Entry, path: string): Promise<FileHandle | "folder"> {
  if (header.type === "directory") {
    await mkdir(path, { recursive: true });
    return "folder";
  }
  await mkdir(dirname(path), { recursive: true });
  // A program stays one: a verifier with a sandbox of its own may have to run it.
  const mode = (header.mode ?? 0) & 0o100 ? 0o755 : 0o644;
  // Never through something that is there: nothing but this writes below `to`.
  return await open(path, "w", mode);
}

/** Parts of a name below the thing itself; null where it leads out. */
function wayOf(name: string): string[] | null {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  const isBad = name.startsWith("/") || parts.some((part) => part === ".." || part.includes("\0"));
  return isBad ? null : parts.slice(1);
}
