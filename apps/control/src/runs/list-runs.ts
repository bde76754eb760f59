import { RUN_FIELDS } from "@liverl/contract/filter/filter-fields";
import { type ListRuns, NEWEST_RUNS, type RunPage } from "@liverl/contract/list-runs";
import { ACTIVE_RUN_STATUSES, type RunStatus } from "@liverl/contract/run";
import type { Context } from "#context.ts";
import { compileFilter } from "#filters/compile-filter.ts";
import { readFilter } from "#filters/read-filter.ts";
import { SqlValues } from "#filters/sql-values.ts";
import { findLooks } from "#runs/find-looks.ts";
import { RUN_COLUMNS } from "#runs/run-columns.ts";
import { readRunCursor, runOrder, writeRunCursor } from "#runs/run-order.ts";
import { summariseList } from "#runs/summarise-list.ts";

const MOST = 500;

type Asked = Partial<ListRuns>;
interface Found {
  page: { id: string; place: string | null; age: number }[];
  counts: Partial<Record<RunStatus, number>>;
  total: number;
  look: number;
}

/** Runs that match, newest first unless sorted otherwise; `cursor` goes on where a page ended. */
export async function listRuns(ctx: Pick<Context, "db" | "pool">, asked: Asked): Promise<RunPage> {
  const { limit = MOST } = asked;
  const { page, counts, total, look } = await findRuns(ctx, asked, limit + 1);
  const shown = page.slice(0, limit);
  const rows = await ctx.db.run.findMany({ where: { id: { in: shown.map(({ id }) => id) } } });
  const summaries = new Map((await summariseList(ctx, rows)).map((run) => [run.id, run]));
  const last = page.length > limit ? shown.at(-1) : undefined;
  return {
    runs: shown.flatMap(({ id }) => summaries.get(id) ?? []),
    nextCursor: last ? writeRunCursor([last.place, last.age, last.id]) : null,
    total,
    counts: { status: countsOf(counts), look },
  };
}

/** A page of ids and the counts around it, of one moment. The filter is put to each run once, the order to those of the status. */
async function findRuns(
  ctx: Pick<Context, "db" | "pool">,
  { project, status, look = false, f, sort = NEWEST_RUNS, cursor }: Asked,
  most: number,
): Promise<Found> {
  const looks = await findLooks(ctx);
  const values = new SqlValues();
  const filter = readFilter(f, RUN_FIELDS);
  const order = runOrder(sort);
  const isLook = `(matching.status = 'failed' OR matching.status = ANY(${values.add(ACTIVE_RUN_STATUSES)}::text[])
    AND matching.id = ANY(${values.add(looks)}::text[]))`;
  const where = [
    "true",
    ...(project === undefined ? [] : [`project = ${values.add(project)}`]),
    ...(filter === null ? [] : [`(${compileFilter(filter, RUN_COLUMNS, values)})`]),
  ].join(" AND ");
  const isOfStatus =
    status === undefined
      ? "matching.status <> 'draft'"
      : `matching.status = ANY(${values.add(status)}::text[])`;
  const chosen = `${isOfStatus}${look ? ` AND ${isLook}` : ""}`;
  const after = cursor === undefined ? "true" : order.after(readRunCursor(cursor), values);
  const { rows } = await ctx.pool.query<Found>(
    `WITH matching AS MATERIALIZED (SELECT run.id, run.status FROM run WHERE ${where}),
      keyed AS (SELECT run.id, ${order.key} AS key, ${order.age} AS age
        FROM matching JOIN run ON run.id = matching.id WHERE ${chosen} OFFSET 0),
      page AS (SELECT id, key::text AS place, age FROM keyed WHERE ${after}
        ORDER BY ${order.orderBy} LIMIT ${values.add(most)})
     SELECT (SELECT COALESCE(json_agg(page), '[]') FROM page) AS page,
      (SELECT COALESCE(json_object_agg(status, n), '{}') FROM
        (SELECT status, count(*)::int AS n FROM matching GROUP BY status) AS by_status) AS counts,
      (SELECT count(*)::int FROM matching WHERE ${chosen}) AS total,
      (SELECT count(*)::int FROM matching WHERE ${isLook}) AS look`,
    values.list,
  );
  return rows[0] ?? { page: [], counts: {}, total: 0, look: 0 };
}

function countsOf(found: Partial<Record<RunStatus, number>>): Record<RunStatus, number> {
  const none = { queued: 0, booting: 0, running: 0, stopping: 0 };
  return {
    draft: 0,
    ...none,
    succeeded: 0,
    stopped: 0,
    failed: 0,
    cancelled: 0,
    ended: 0,
    ...found,
  };
}
