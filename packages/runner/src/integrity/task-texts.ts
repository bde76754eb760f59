import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

const MOST_FILES = 2_000;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_OF_ONE = 512 * 1024;

/** Texts of a folder of the task, bytes and what is over the bounds left out. A folder that is not there has none. */
export async function readTexts(folder: string | null): Promise<string[]> {
  if (folder === null) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const texts: string[] = [];
  let bytes = 0;
  for (const entry of entries.filter((one) => one.isFile()).slice(0, MOST_FILES)) {
    const content = await readStart(join(entry.parentPath, entry.name));
    if (content.includes(0)) continue;
    bytes += content.length;
    if (bytes > MOST_BYTES) break;
    texts.push(content.toString("utf8"));
  }
  return texts;
}

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const bytes = Math.min((await file.stat()).size, MOST_OF_ONE);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
