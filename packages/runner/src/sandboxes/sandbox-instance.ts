import { randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "@liverl/durable/atomic-file";

/** Tells the sandboxes of one data directory from those of another on the same daemon or cluster. */
export async function loadInstance(dataDir: string): Promise<string> {
  const path = join(dataDir, "runner", "sandbox-instance");
  const known = await readFile(path, "utf8").catch(() => null);
  if (known?.trim()) return known.trim();
  const made = randomBytes(12).toString("hex");
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, made);
  return made;
}

/** Of a new sandbox, as an operator sees it. */
export const sandboxName = (instance: string) =>
  `liverl-${instance.slice(0, 8)}-${randomBytes(6).toString("hex")}`;
