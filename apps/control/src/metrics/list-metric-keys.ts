import type { MetricKey } from "@liverl/contract/metric";
import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";

/** Every key that the run has logged, with its newest value. */
export async function listMetricKeys(
  ctx: Pick<Context, "db">,
  { runId }: { runId: string },
): Promise<{ keys: MetricKey[] }> {
  const rows = await ctx.db.series.findMany({
    where: { runId },
    select: { key: true, points: true, last: true, lastStep: true },
    orderBy: { key: "asc" },
  });
  if (rows.length === 0) await getRunRow(ctx, runId);
  return { keys: rows };
}
