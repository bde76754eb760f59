import { AppError } from "@liverl/contract/app-error";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";

/** The run, or NOT_FOUND. */
export async function getRunRow(ctx: Pick<Context, "db">, id: string): Promise<Run> {
  const run = await ctx.db.run.findUnique({ where: { id } });
  if (!run) throw new AppError("NOT_FOUND", { userMessage: `There is no run ${id}.` });
  return run;
}
