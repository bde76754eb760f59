import { AppError } from "@liverl/contract/app-error";
import { z } from "zod";
import type { Context } from "#context.ts";

export const CancelRollout = z.object({ rolloutId: z.string() });

/** Ends a rollout that runs or waits as cancelled, without a reward: for one that is stuck. */
export async function cancelRollout(
  { db, runner }: Pick<Context, "db" | "runner">,
  { rolloutId }: z.infer<typeof CancelRollout>,
): Promise<void> {
  const row = await db.rollout.findUnique({ where: { rolloutId }, select: { status: true } });
  if (!row) throw new AppError("NOT_FOUND", { userMessage: `Rollout ${rolloutId} not found.` });
  if (row.status !== "queued" && row.status !== "running")
    throw new AppError("CONFLICT", {
      userMessage: `Rollout ${rolloutId} has ended: ${row.status}.`,
    });
  await runner.cancelRollout(rolloutId);
}
