import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

export interface FoundFile {
  /** Below where the walk began, with slashes. */
  name: string;
  path: string;
  sizeBytes: number;
}

/** Regular files below a folder, or the file itself; links are not followed. Nothing where there is nothing. */
export async function* walkFiles(path: string, name: string): AsyncGenerator<FoundFile> {
  const found = await lstat(path).catch(() => null);
  if (found?.isFile()) yield { name, path, sizeBytes: found.size };
  if (!found?.isDirectory()) return;
  for await (const entry of await opendir(path))
    yield* walkFiles(join(path, entry.name), `${name}/${entry.name}`);
}
