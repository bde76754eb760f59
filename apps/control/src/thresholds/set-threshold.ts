import type { ResetThreshold, SetThreshold } from "@liverl/contract/threshold";
import type { Context } from "#context.ts";
import { tellRuns } from "#runs/tell-runs.ts";

/** Judges the project's runs by these bounds from now on; verdicts are taken anew when they are next asked for. */
export async function setThreshold(
  ctx: Pick<Context, "db" | "live"> & { actor: string },
  { project, id, warn, bad }: SetThreshold,
): Promise<void> {
  const row = { warn, bad, actor: ctx.actor, changedAt: new Date() };
  await ctx.db.threshold.upsert({
    where: { project_id: { project, id } },
    create: { project, id, ...row },
    update: row,
  });
  await tellRuns(ctx, project);
}

/** Back to the default, of one or of all. */
export async function resetThreshold(
  ctx: Pick<Context, "db" | "live">,
  { project, id }: ResetThreshold,
): Promise<void> {
  await ctx.db.threshold.deleteMany({ where: { project, ...(id === undefined ? {} : { id }) } });
  await tellRuns(ctx, project);
}
