import { AppError } from "@liverl/contract/app-error";
import { isTerminal, RunStatus, type StopRun } from "@liverl/contract/run";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { sendTrainerCommand } from "#drivers/embedded/send-trainer-command.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { moveRun } from "#runs/move-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

/** Whether a kill waits for the word of a cluster, which may never come. */
export function canAbandon(run: Pick<Run, "driver" | "status" | "stopMode">): boolean {
  const isOfCluster = run.driver === "ray-job" || run.driver === "kuberay";
  return isOfCluster && run.status === "stopping" && run.stopMode === "now";
}

/** Stops a run after its current step (a checkpoint is kept) or at once. For an attached run: stops following its file, or notes that its trainer is gone. */
export async function stopRun(
  ctx: Context & { actor: string },
  { id, when }: StopRun,
): Promise<Record<string, never>> {
  const run = await getRunRow(ctx, id);
  const status = RunStatus.parse(run.status);
  const { actor } = ctx;
  if (isTerminal(status))
    throw new AppError("CONFLICT", { userMessage: `${id} has already ended.` });
  if (run.driver === "attached") {
    await ctx.db.ingestSource.updateMany({ where: { runId: id }, data: { active: false } });
    ctx.ingest.refresh();
    const isRead = run.source === "file" || run.source === "tensorboard";
    const reason = isRead ? "no longer followed" : "marked as ended";
    await moveRun(ctx, id, { to: "stopped", reason, actor });
    return {};
  }
  if (when === "abandon") {
    if (!canAbandon(run))
      throw new AppError("CONFLICT", {
        userMessage: `${id} has no job to give up: kill it first; what is given up is a job whose cluster does not answer.`,
      });
    await recordRunEvent(ctx, id, { kind: "stop-requested", actor, message: "give the job up" });
    await ctx.db.run.updateMany({
      where: { id, status: "stopping" },
      data: { stopMode: "abandon", statusReason: "giving the job up" },
    });
    ctx.wakeDrivers();
    return {};
  }
  await recordRunEvent(ctx, id, {
    kind: "stop-requested",
    actor,
    message: when === "now" ? "stop now" : "stop after this step",
  });
  if (status === "queued" || status === "draft") {
    const cancelled = await moveRun(ctx, id, {
      to: "cancelled",
      reason: "stopped before it began",
      actor,
      change: { released: true },
    });
    if (cancelled) return {};
  }
  // Of verl's jobs the driver itself watches for the next step: nothing can be asked of them.
  if (when === "after-step" && run.driver === "embedded")
    await sendTrainerCommand(ctx.config.dataDir, id, "stop-after-step");
  const reason = when === "now" ? "stopping now" : "stopping after this step";
  const moved = await moveRun(ctx, id, {
    to: "stopping",
    reason,
    actor,
    change: { stopMode: when },
  });
  // Already stopping after its step: a second word may only make it quicker.
  if (!moved && when === "now") {
    await ctx.db.run.updateMany({
      where: { id, status: "stopping" },
      data: { stopMode: "now", statusReason: reason },
    });
  }
  ctx.wakeDrivers();
  return {};
}
