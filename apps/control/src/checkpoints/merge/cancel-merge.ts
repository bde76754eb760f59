import { AppError } from "@liverl/contract/app-error";
import type { Context } from "#context.ts";

/** Asks for the end of a merge; what it wrote is deleted when it has ended. */
export async function cancelMerge(
  ctx: Context,
  { runId, step }: { runId: string; step: number },
): Promise<Record<string, never>> {
  const waited = await ctx.db.checkpointMerge.updateMany({
    where: { runId, step, status: "queued" },
    data: { status: "cancelled", endedAt: new Date() },
  });
  const ran = await ctx.db.checkpointMerge.updateMany({
    where: { runId, step, status: { in: ["running", "cancelling"] } },
    data: { status: "cancelling" },
  });
  if (waited.count + ran.count === 0)
    throw new AppError("CONFLICT", {
      userMessage: `No merge of step ${step} is under way: it has ended.`,
    });
  ctx.wakeDrivers();
  return {};
}
