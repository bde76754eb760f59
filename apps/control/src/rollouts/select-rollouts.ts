import { ROLLOUT_FIELDS } from "@liverl/contract/filter/filter-fields";
import type { Context } from "#context.ts";
import { compileFilter } from "#filters/compile-filter.ts";
import { readFilter } from "#filters/read-filter.ts";
import { SqlValues } from "#filters/sql-values.ts";
import { rolloutColumns } from "#rollouts/rollout-columns.ts";
import { NEWEST, rolloutOrder } from "#rollouts/rollout-order.ts";

/** Which rollouts of a run: those of a filter, or of them those that are named. */
export interface RolloutSelection {
  runId: string;
  f?: string | undefined;
  ids?: readonly string[] | undefined;
}

/** The selection as an SQL condition. */
export function whereOf({ runId, f, ids }: RolloutSelection, values: SqlValues): string {
  const run = values.add(runId);
  const filter = readFilter(f, ROLLOUT_FIELDS);
  return [
    `run_id = ${run}`,
    ...(filter === null ? [] : [`(${compileFilter(filter, rolloutColumns(run), values)})`]),
    ...(ids === undefined ? [] : [`rollout_id = ANY(${values.add(ids)}::text[])`]),
  ].join(" AND ");
}

interface PageAsked extends RolloutSelection {
  sort?: string | undefined;
  cursor?: string | undefined;
  limit: number;
}

/** Ids of a page in their order, and where the next one begins. */
export async function selectRollouts(
  { pool }: Pick<Context, "pool">,
  asked: PageAsked,
): Promise<{ ids: string[]; nextCursor: string | null }> {
  const { text, values, order } = pageQuery(asked);
  const { rows } = await pool.query<{ id: string; key: string; group: string; index: number }>(
    text,
    values,
  );
  const page = rows.slice(0, asked.limit);
  const last = rows.length > asked.limit ? page.at(-1) : undefined;
  return {
    ids: page.map(({ id }) => id),
    nextCursor: last ? order.cursorAt([last.key, last.group, last.index, last.id]) : null,
  };
}

/** The statement of a page and one row more. */
export function pageQuery(asked: PageAsked) {
  const values = new SqlValues();
  const where = whereOf(asked, values);
  const order = rolloutOrder(asked.sort ?? NEWEST, rolloutColumns("$1"));
  const after = asked.cursor === undefined ? "" : `AND ${order.after(asked.cursor, values)}`;
  const text = `SELECT rollout_id AS id, ${order.key} AS key, group_id AS "group", index FROM rollout
     WHERE ${where} ${after} ORDER BY ${order.orderBy} LIMIT ${values.add(asked.limit + 1)}`;
  return { text, values: values.list, order };
}

/** How many match, counted up to `most`. */
export async function countRollouts(
  { pool }: Pick<Context, "pool">,
  selection: RolloutSelection,
  most: number,
): Promise<number> {
  const values = new SqlValues();
  const where = whereOf(selection, values);
  const { rows } = await pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM (SELECT 1 FROM rollout WHERE ${where} LIMIT ${values.add(most)}) AS matching`,
    values.list,
  );
  return rows[0]?.n ?? 0;
}
