import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { digestTask } from "#tasks/task-digest.ts";

const TAG_LENGTH = 32;
const RUNS = 0o111;

/**
 * The tag of an image that is built from this `environment/` folder: the same content has the same. What a task's own
 * digest leaves out and an image has counts too: which files may be run, and folders that are empty.
 */
export async function taskImageTag(folder: string): Promise<string> {
  const besides: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (entry.isDirectory()) besides.push(`folder ${name}`);
    else if (entry.isFile() && ((await stat(path)).mode & RUNS) !== 0) besides.push(`runs ${name}`);
  }
  const digest = await digestTask(folder);
  const whole = createHash("sha256").update(JSON.stringify([digest, ...besides.sort()]));
  return whole.digest("hex").slice(0, TAG_LENGTH);
}
