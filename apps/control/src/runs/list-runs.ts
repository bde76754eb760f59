import type { ListRuns, RunSummary } from "@liverl/contract/run";
import type { Context } from "#context.ts";
import { loadSignals } from "#runs/load-signals.ts";
import { summariseRun } from "#runs/summarise-run.ts";

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
  const signals = await loadSignals(
    ctx.pool,
    rows.map((row) => row.id),
  );
  const now = Date.now();
  return { runs: rows.map((row) => summariseRun(row, signals.get(row.id), now).summary) };
}
