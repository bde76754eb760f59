import { AppError } from "@liverl/contract/app-error";
import type { CleanPlan, LeftPod } from "@liverl/contract/clean-run";
import type { Context } from "#context.ts";
import { foldersOfRun, getEndedRun, recordedProcesses, sizeOf } from "#runs/leftovers-of-run.ts";

/** What a clean of the run would find. Touches nothing. */
export async function planClean(ctx: Context, { id }: { id: string }): Promise<CleanPlan> {
  const run = await getEndedRun(ctx, id);
  const folders = await foldersOfRun(ctx.config.dataDir, run);
  const [processes, hydra, logs, trials, found] = await Promise.all([
    recordedProcesses(ctx.config.processes, id),
    sizeOfAll(folders.hydra),
    sizeOf(folders.logs),
    sizeOfAll(folders.trials),
    findPods(ctx, id),
  ]);
  return {
    processes: processes.filter(({ lives }) => lives).map(({ name }) => name),
    leftovers: hydra,
    ...{ logs, trials, ...found },
  };
}

async function sizeOfAll(folders: readonly string[]): Promise<{ files: number; bytes: number }> {
  const sizes = await Promise.all(folders.map(sizeOf));
  return {
    files: sizes.reduce((sum, { files }) => sum + files, 0),
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Without a cluster the rest can still be cleaned. */
async function findPods(
  { runner }: Pick<Context, "runner">,
  id: string,
): Promise<{ pods: LeftPod[]; podsFault: string | null }> {
  try {
    return { pods: await runner.leftPods(id), podsFault: null };
  } catch (error) {
    if (error instanceof AppError) return { pods: [], podsFault: error.userMessage };
    throw error;
  }
}
