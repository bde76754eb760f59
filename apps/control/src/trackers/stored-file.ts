import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream, type ReadStream } from "node:fs";
import { lstat, mkdir, readdir, realpath, rename, rm, statfs } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { Readable } from "node:stream";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "@liverl/contract/app-error";
import { isMissing, syncDirectory } from "@liverl/durable/atomic-file";

const MOST_BYTES = 2 * 1024 ** 3;
const MOST_DEPTH = 32;
const MOST_NAME_BYTES = 255;
/** What a trainer's files leave free on the disk, for everything else that lives there. */
const SPARE_BYTES = 1024 ** 3;

/** The parts of a file's name as a client gives it. Throws for one that could lead out of its folder. */
export function parseFileName(name: string): string[] {
  const parts = name.split("/").filter((part) => part !== "");
  const isBad = (part: string) =>
    part === "." ||
    part === ".." ||
    part.startsWith(".liverl-") ||
    part.includes("\0") ||
    part.includes("\\") ||
    Buffer.byteLength(part) > MOST_NAME_BYTES;
  if (name.startsWith("/") || parts.length > MOST_DEPTH || parts.some(isBad))
    throw new AppError("BAD_REQUEST", {
      userMessage: `${name.slice(0, 200)} can not be the name of a file: it must be relative, without . and .., and not too long.`,
    });
  return parts;
}

/** Writes a file below `root` whole, durable when it returns. The folders on its way are made. */
export async function storeFile(
  root: string,
  parts: readonly string[],
  content: Readable,
): Promise<void> {
  const last = parts.at(-1);
  if (last === undefined)
    throw new AppError("BAD_REQUEST", { userMessage: "The file has no name." });
  await mkdir(root, { recursive: true });
  const { bavail, bsize } = await statfs(root);
  if (bavail * bsize < SPARE_BYTES)
    throw new AppError("UNAVAILABLE", {
      userMessage: `The disk of ${root} is nearly full: nothing was stored. Free some space and try again.`,
    });
  const directory = await makeInside(root, parts.slice(0, -1));
  const draft = join(directory, `.liverl-${randomBytes(6).toString("hex")}`);
  try {
    await pipeline(content, bounded(), createWriteStream(draft, { flags: "wx", flush: true }));
    await rename(draft, join(directory, last));
  } catch (error) {
    await rm(draft, { force: true });
    if (isKind(error, "EISDIR", "ENOTEMPTY", "EEXIST"))
      throw new AppError("BAD_REQUEST", { userMessage: `${parts.join("/")} is a folder.` });
    throw error;
  }
  await syncDirectory(directory);
}

export interface StoredEntry {
  name: string;
  /** Null for a folder. */
  sizeBytes: number | null;
}

/** What lies directly in a folder below `root`, by name; nothing where there is no such folder. */
export async function listFiles(root: string, parts: readonly string[]): Promise<StoredEntry[]> {
  const directory = await findInside(root, parts);
  if (directory === null || !(await lstat(directory)).isDirectory()) return [];
  const entries = await readdir(directory, { withFileTypes: true });
  const shown = entries.filter(
    (entry) => !entry.name.startsWith(".liverl-") && (entry.isFile() || entry.isDirectory()),
  );
  const listed = await Promise.all(
    shown.map(async (entry) => ({
      name: entry.name,
      sizeBytes: entry.isDirectory() ? null : (await lstat(join(directory, entry.name))).size,
    })),
  );
  return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A file below `root`; null where there is none. */
export async function readStoredFile(
  root: string,
  parts: readonly string[],
): Promise<ReadStream | null> {
  const path = await findInside(root, parts);
  return path !== null && (await lstat(path)).isFile() ? createReadStream(path) : null;
}

/** Removes a file or a folder below `root`. */
export async function removeStored(root: string, parts: readonly string[]): Promise<void> {
  const path = await findInside(root, parts);
  if (path !== null && parts.length > 0) await rm(path, { recursive: true, force: true });
}

/** The real path of what is there, if no link on the way leads out of `root`. */
async function findInside(root: string, parts: readonly string[]): Promise<string | null> {
  try {
    return await contained(root, join(root, ...parts));
  } catch (error) {
    if (isMissing(error) || isKind(error, "ENOTDIR")) return null;
    throw error;
  }
}

async function makeInside(root: string, parts: readonly string[]): Promise<string> {
  let at = await realpath(root);
  for (const part of parts) {
    const next = join(at, part);
    await mkdir(next).catch((error: unknown) => {
      if (!isKind(error, "EEXIST")) throw error;
    });
    at = await contained(root, next);
    if (!(await lstat(at)).isDirectory())
      throw new AppError("BAD_REQUEST", { userMessage: `${part} is a file, not a folder.` });
    await syncDirectory(dirname(at));
  }
  return at;
}

async function contained(root: string, path: string): Promise<string> {
  const [inside, real] = [await realpath(root), await realpath(path)];
  if (real === inside || real.startsWith(`${inside}${sep}`)) return real;
  throw new AppError("BAD_REQUEST", { userMessage: "A link leads out of the run's folder." });
}

/** Ends a stream that is longer than a file may be. */
function bounded(): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      seen += chunk.length;
      if (seen <= MOST_BYTES) return done(null, chunk);
      done(
        new AppError("TOO_LARGE", {
          userMessage: `A file has at most ${MOST_BYTES} bytes: keep larger ones elsewhere.`,
        }),
      );
    },
  });
}

function isKind(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
