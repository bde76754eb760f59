import type { Context } from "#context.ts";
import { BootProgress } from "#drivers/verl/boot-progress.ts";
import { readBootLine } from "#drivers/verl/read-boot-line.ts";
import { FileWatch } from "#metrics/file-watch.ts";
import { type FilePlace, tailFile } from "#metrics/tail-file.ts";
import { moveRun } from "#runs/move-run.ts";

/** Follows an attempt's console log for boot phases until `signal`, or until the first update was seen. */
export async function watchBoot(
  ctx: Context,
  { runId, attempt, console }: { runId: string; attempt: number; console: string },
  signal: AbortSignal,
): Promise<void> {
  const progress = new BootProgress(ctx, runId, attempt);
  const watch = new FileWatch();
  signal.addEventListener("abort", () => watch.close(), { once: true });
  let place: FilePlace = { position: 0, generation: 0, tail: "" };
  let isRunning = false;
  while (!signal.aborted && !progress.isOver) {
    watch.follow([console]);
    try {
      if (!isRunning) isRunning = await noteFirstRollout(ctx, runId, attempt, progress);
      const read = await tailFile(console, place);
      for (const { text } of read?.lines ?? []) {
        const phase = readBootLine(text);
        if (phase) await progress.ended(phase);
      }
      if (read) place = read.place;
      if (read?.more) continue;
    } catch (error) {
      // The database is away: the same lines are read again at the next look.
      ctx.log.warn({ err: error, runId }, "boot phases wait");
    }
    await watch.wait();
  }
  watch.close();
}

/** The run is running once its agents work. */
async function noteFirstRollout(
  ctx: Context,
  runId: string,
  attempt: number,
  progress: BootProgress,
): Promise<boolean> {
  const phase = await ctx.db.bootPhase.findUnique({
    where: { runId_attempt_phase: { runId, attempt, phase: "ray" } },
  });
  if (!phase) return false;
  const first = await ctx.db.rollout.findFirst({
    where: { runId, startedAt: { gte: phase.startedAt } },
    orderBy: { startedAt: "asc" },
  });
  if (!first?.startedAt) return false;
  await progress.ended("proxy", first.startedAt);
  if (!first.endedAt) return false;
  await progress.ended("rollouts", first.endedAt);
  await moveRun(ctx, runId, { to: "running", reason: null, actor: "control" });
  return true;
}
