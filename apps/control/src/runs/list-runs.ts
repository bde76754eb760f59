import { RUN_FIELDS } from "@liverl/contract/filter/filter-fields";
import type { ListRuns, RunSummary } from "@liverl/contract/run";
import type { Context } from "#context.ts";
import { compileFilter } from "#filters/compile-filter.ts";
import { readFilter } from "#filters/read-filter.ts";
import { SqlValues } from "#filters/sql-values.ts";
import { RUN_COLUMNS } from "#runs/run-columns.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";

export interface RunPage {
  runs: RunSummary[];
  /** That match, with those that are not in `runs`. */
  total: number;
}

const MOST = 500;

/** Runs that match, newest first. */
export async function listRuns(
  ctx: Pick<Context, "db" | "pool">,
  { project, status, f, limit = MOST }: Partial<ListRuns>,
): Promise<RunPage> {
  const values = new SqlValues();
  const filter = readFilter(f, RUN_FIELDS);
  const where = [
    status ? `status = ANY(${values.add(status)}::text[])` : "status <> 'draft'",
    ...(project === undefined ? [] : [`project = ${values.add(project)}`]),
    ...(filter === null ? [] : [`(${compileFilter(filter, RUN_COLUMNS, values)})`]),
  ].join(" AND ");
  const found = await ctx.pool.query<{ id: string; total: number }>(
    `SELECT id, count(*) OVER ()::int AS total FROM run WHERE ${where}
     ORDER BY created_at DESC, id LIMIT ${values.add(limit)}`,
    values.list,
  );
  const ids = found.rows.map(({ id }) => id);
  const rows = await ctx.db.run.findMany({
    where: { id: { in: ids } },
    orderBy: [{ createdAt: "desc" }, { id: "asc" }],
  });
  return {
    runs: (await summariseRuns(ctx, rows)).map(({ summary }) => summary),
    total: found.rows[0]?.total ?? 0,
  };
}
