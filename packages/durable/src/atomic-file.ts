import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { z } from "zod";

/** Makes a rename or a new entry in `directory` survive power loss. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Replaces `path` whole: readers see the old content or the new, never a part. Durable when it returns. */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  { mode = 0o644 }: { mode?: number } = {},
): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    const handle = await open(draft, "wx", mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** A file of ours that does not hold what it should. */
export class DamagedFile extends Error {
  override name = "DamagedFile";
  constructor(path: string, options: ErrorOptions) {
    super(`${path} is damaged: it does not hold what it should`, options);
  }
}

/** The parsed file, or null where there is none. A file that does not match `schema` throws, and is named. */
export async function readJson<S extends z.ZodType>(
  path: string,
  schema: S,
): Promise<z.infer<S> | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new DamagedFile(path, { cause: error });
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
