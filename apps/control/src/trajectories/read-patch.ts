import { join } from "node:path";
import type { TrialFolder } from "#trajectories/trial-folder.ts";

/** Of a sandbox by the runner; a task of the embedded policy has it among its artifacts. */
const PATCH_FILE = "patch.diff";

/** What the attempt changed; null where that was not kept. */
export async function readPatch(folder: TrialFolder | null): Promise<string | null> {
  return (
    (await folder?.read(PATCH_FILE)) ?? (await folder?.read(join("artifacts", PATCH_FILE))) ?? null
  );
}

/** Lines added and removed. Pure. */
export function countPatchLines(patch: string): number {
  let isHunk = false;
  let count = 0;
  for (const line of patch.split("\n")) {
    if (line.startsWith("diff --git ")) isHunk = false;
    else if (line.startsWith("@@")) isHunk = true;
    else if (isHunk && /^[+-]/.test(line)) count++;
  }
  return count;
}
