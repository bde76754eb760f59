import { type ForkLink, ForkWay } from "@liverl/contract/run";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";

/** Runs that began from a checkpoint of this one, oldest first. */
export async function listForks(ctx: Pick<Context, "db">, runId: string): Promise<ForkLink[]> {
  const forks = await ctx.db.run.findMany({
    where: { parentId: runId },
    orderBy: { createdAt: "asc" },
  });
  return forks.flatMap((fork) => linkTo(fork, fork) ?? []);
}

/** The run that this one was forked from; null for one that began by itself, or whose parent is gone. */
export async function findParent(ctx: Pick<Context, "db">, run: Run): Promise<ForkLink | null> {
  if (run.parentId === null) return null;
  const parent = await ctx.db.run.findUnique({ where: { id: run.parentId } });
  return parent && linkTo(parent, run);
}

function linkTo(
  { id, project, name }: Run,
  { parentStep, parentHow }: Pick<Run, "parentStep" | "parentHow">,
): ForkLink | null {
  const how = ForkWay.safeParse(parentHow);
  return parentStep === null || !how.success
    ? null
    : { id, project, name, step: parentStep, how: how.data };
}
