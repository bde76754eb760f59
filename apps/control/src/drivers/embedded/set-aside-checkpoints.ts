import { mkdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";

/**
 * Moves checkpoints after `step` out of the way: a run that was resumed from an earlier step must not, after a crash,
 * go on from a later one of its former life. They stay in the run's folder under `checkpoints/before-attempt-N`.
 */
export async function setAsideCheckpoints(
  dataDir: string,
  runId: string,
  step: number,
  attempt: number,
): Promise<void> {
  const later = (await findCheckpoints(dataDir, runId)).filter(
    (checkpoint) => checkpoint.step > step,
  );
  for (const { path } of later) {
    const aside = join(path, "..", `before-attempt-${attempt}`);
    await mkdir(aside, { recursive: true });
    await rename(path, join(aside, basename(path)));
  }
}
