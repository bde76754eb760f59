import type { SetPrice } from "@liverl/contract/price";
import type { Context } from "#context.ts";
import { tellRuns } from "#runs/tell-runs.ts";

/** From now on all runs of the project, those that ended too, are reckoned at these prices. */
export async function setPrice(
  ctx: Pick<Context, "db" | "live"> & { actor: string },
  { project, ...prices }: SetPrice,
): Promise<void> {
  const row = { ...prices, actor: ctx.actor, changedAt: new Date() };
  await ctx.db.projectPrice.upsert({
    where: { project },
    create: { project, ...row },
    update: row,
  });
  await tellRuns(ctx, project);
}
