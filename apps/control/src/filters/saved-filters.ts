import { ProjectName } from "@liverl/contract/run";
import { z } from "zod";
import type { Context } from "#context.ts";
import { refuseTooMany } from "#refuse-too-many.ts";

export const FilterTarget = z.enum(["rollouts", "runs"]);
export const OfFilters = z.object({ project: ProjectName, target: FilterTarget });
export const OfFilter = OfFilters.extend({ name: z.string().trim().min(1).max(60) });
export const SaveFilter = OfFilter.extend({ filter: z.string().trim().min(1).max(4_000) });

/** The filters that a project keeps for its runs or their rollouts, by name. */
export async function listFilters(
  ctx: Pick<Context, "db">,
  { project, target }: z.infer<typeof OfFilters>,
): Promise<{ filters: { name: string; filter: string }[] }> {
  const filters = await ctx.db.savedFilter.findMany({
    where: { project, target },
    select: { name: true, filter: true },
    orderBy: { name: "asc" },
  });
  return { filters };
}

/** Keeps a filter under a name; one of that name is replaced. */
export async function saveFilter(
  ctx: Pick<Context, "db"> & { actor: string },
  { project, target, name, filter }: z.infer<typeof SaveFilter>,
): Promise<void> {
  const { actor } = ctx;
  const others = { project, target, name: { not: name } };
  refuseTooMany(project, await ctx.db.savedFilter.count({ where: others }), "filters of this kind");
  await ctx.db.savedFilter.upsert({
    where: { project_target_name: { project, target, name } },
    create: { project, target, name, filter, actor },
    update: { filter, actor },
  });
}

export async function deleteFilter(
  ctx: Pick<Context, "db">,
  { project, target, name }: z.infer<typeof OfFilter>,
): Promise<void> {
  await ctx.db.savedFilter.deleteMany({ where: { project, target, name } });
}
