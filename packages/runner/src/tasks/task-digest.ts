import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isWithin, kindOf } from "@liverl/durable/tasks/input-tree";

/**
 * Harbor's `task_checksum`: the Dirhash standard with SHA-256 over names and contents, empty folders left out. Reads every
 * byte of the folder. Links are followed, as Dirhash does, save those that lead out of the folder, in circles or
 * nowhere, where Dirhash fails or reads what is not the task's: they count by their target's name.
 */
export async function digestTask(folder: string): Promise<string> {
  const root = await realpath(folder);
  return (await digestFolder(root, { root, ancestors: [] })) ?? digestText("");
}

const digestText = (text: string) => createHash("sha256").update(text).digest("hex");

interface Place {
  root: string;
  /** Real paths of the folders above. */
  ancestors: readonly string[];
}

/** Null for a folder in which there is no file. */
async function digestFolder(folder: string, { root, ancestors }: Place): Promise<string | null> {
  const entries: Buffer[] = [];
  const place = { root, ancestors: [...ancestors, folder] };
  for (const name of await readdir(folder)) {
    const descriptor = await describe(join(folder, name), place);
    if (descriptor !== null) entries.push(Buffer.from(`${descriptor}\0name:${name}`));
  }
  if (entries.length === 0) return null;
  // By bytes: Python sorts by code point, which JavaScript's own order does not.
  return digestText(entries.sort(Buffer.compare).join("\0\0"));
}

async function describe(path: string, place: Place): Promise<string | null> {
  const real = await realpath(path).catch(() => null);
  if (real === null || !isWithin(place.root, real) || place.ancestors.includes(real))
    return `link:${digestText(await readlink(path))}`;
  if ((await kindOf(real)) === "folder") {
    const digest = await digestFolder(real, place);
    return digest && `dirhash:${digest}`;
  }
  return `data:${await digestFile(real)}`;
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
