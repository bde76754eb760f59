import { z } from "zod";
import type { Context } from "#context.ts";
import { likePattern } from "#filters/compile-filter.ts";
import { errorNames, taskNames } from "#rollouts/rollout-columns.ts";
import { getRunRow } from "#runs/get-run-row.ts";

export const ListValues = z.object({
  runId: z.string(),
  field: z.enum(["task", "tag", "error"]),
  like: z.string().max(200).default(""),
});

const MOST = 12;
const tagNames = (run: string, like: string) =>
  `SELECT DISTINCT name FROM rollout, unnest(tags) AS name
   WHERE run_id = ${run} AND tags <> '{}' AND name ILIKE ${like}::text`;
const NAMES = { task: taskNames, tag: tagNames, error: errorNames };

/** Values that a run has of a field, for the completion of a filter: the first few by name. */
export async function listValues(
  ctx: Pick<Context, "db" | "pool">,
  { runId, field, like }: z.infer<typeof ListValues>,
): Promise<{ values: string[] }> {
  const { rows } = await ctx.pool.query<{ name: string }>(
    `SELECT name FROM (${NAMES[field]("$1", "$2")}) AS found ORDER BY name LIMIT ${MOST}`,
    [runId, likePattern(like)],
  );
  if (rows.length === 0) await getRunRow(ctx, runId);
  return { values: rows.map(({ name }) => name) };
}
