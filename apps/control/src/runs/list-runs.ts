import type { ListRuns, RunSummary } from "@liverl/contract/run";
import type { Context } from "#context.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";

const MOST = 500;

/** Runs that match, newest first. */
export async function listRuns(
  ctx: Pick<Context, "db" | "pool">,
  { project, status, q }: ListRuns,
): Promise<{ runs: RunSummary[] }> {
  const rows = await ctx.db.run.findMany({
    where: {
      status: status ? { in: status } : { not: "draft" },
      ...(project === undefined ? {} : { project }),
      ...(q
        ? {
            OR: [
              { id: { contains: q, mode: "insensitive" } },
              { tags: { has: q } },
              { statusReason: { contains: q, mode: "insensitive" } },
            ],
          }
        : {}),
    },
    orderBy: { createdAt: "desc" },
    take: MOST,
  });
  return { runs: (await summariseRuns(ctx, rows)).map(({ summary }) => summary) };
}
