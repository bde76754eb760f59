import { join } from "node:path";
import { hfFolder } from "#checkpoints/hf/find-hf.ts";
import { processName, runFiles } from "#drivers/embedded/run-files.ts";

/** Name of a merge among a run's logs and processes. */
export const mergeName = (step: number) => `merge-${step}`;

/** Every path of a checkpoint's merge, in one place. */
export function mergeFiles(dataDir: string, runId: string, step: number) {
  const files = runFiles(dataDir, runId);
  const checkpoint = join(files.checkpoints, `global_step_${step}`);
  return {
    checkpoint,
    /** Where the merger writes: on the same disk, outside of the checkpoint; it gets its real name when it is whole. */
    staged: join(files.checkpoints, `.global_step_${step}.hf.tmp`),
    merged: hfFolder(checkpoint),
    exit: join(files.logs, `${mergeName(step)}.exit.json`),
    logs: files.logs,
    log: files.log(mergeName(step)),
    venvLog: files.log("venv"),
    process: processName(runId, mergeName(step)),
  };
}
export type MergeFiles = ReturnType<typeof mergeFiles>;
