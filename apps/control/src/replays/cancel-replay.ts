import { AppError } from "@liverl/contract/app-error";
import type { Context } from "#context.ts";
import { moveReplay } from "#replays/move-replay.ts";

/** Ends a replay that waits or samples; completions that are there stay. Throws CONFLICT where it is over. */
export async function cancelReplay(
  ctx: Pick<Context, "db" | "wakeDrivers">,
  { id }: { id: string },
): Promise<void> {
  if (await moveReplay(ctx, id, "cancelled")) return ctx.wakeDrivers();
  const row = await ctx.db.replay.findUnique({ where: { id }, select: { status: true } });
  throw row
    ? new AppError("CONFLICT", { userMessage: `This replay is ${row.status} already.` })
    : new AppError("NOT_FOUND", { userMessage: `There is no replay ${id}.` });
}
