import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/**
 * Harbor's `task_checksum`: the Dirhash standard with SHA-256 over names and contents, links followed, empty folders
 * left out. Reads every byte of the folder, which must have passed the checks of `loadTask`: links may not go in circles.
 */
export async function digestTask(folder: string): Promise<string> {
  return (await digestFolder(folder)) ?? digestText("");
}

const digestText = (text: string) => createHash("sha256").update(text).digest("hex");

/** Null for a folder in which there is no file. */
async function digestFolder(folder: string): Promise<string | null> {
  const entries: Buffer[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if ((await stat(path)).isDirectory()) {
      const digest = await digestFolder(path);
      if (digest !== null) entries.push(Buffer.from(`dirhash:${digest}\0name:${name}`));
    } else entries.push(Buffer.from(`data:${await digestFile(path)}\0name:${name}`));
  }
  if (entries.length === 0) return null;
  // By bytes: Python sorts by code point, which JavaScript's own order does not.
  return digestText(entries.sort(Buffer.compare).join("\0\0"));
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
