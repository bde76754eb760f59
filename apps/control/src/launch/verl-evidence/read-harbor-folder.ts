import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";
import type { HarborEvidence } from "#launch/verl-evidence/verl-evidence.ts";

/** Harbor tasks right below a folder: those with a task.toml, and an instruction.md or steps. */
export async function readHarborFolder(path: string, isRemote: boolean): Promise<HarborEvidence> {
  const folder = expandHome(path);
  const names = await readdir(folder).catch(() => null);
  if (names === null)
    return isRemote
      ? { state: "elsewhere", path }
      : { state: "unreadable", path, message: "there is no such folder" };
  const found = await Promise.all(
    names.map(async (name) => {
      const [isConfigured, isPlain, hasSteps] = await Promise.all(
        ["task.toml", "instruction.md", "steps"].map((part) => isThere(join(folder, name, part))),
      );
      return isConfigured && (isPlain || hasSteps);
    }),
  );
  return { state: "read", path, tasks: found.filter(Boolean).length };
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
