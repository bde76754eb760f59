import { ProjectName } from "@liverl/contract/run";
import { z } from "zod";
import type { Context } from "#context.ts";
import { likePattern } from "#filters/compile-filter.ts";
import { RUN_COLUMNS } from "#runs/run-columns.ts";

export const ListRunValues = z.object({
  project: ProjectName,
  field: z.enum(["name", "tag", "preset", "algorithm", "mode"]),
  like: z.string().max(200).default(""),
});

const MOST = 12;

/** Values that runs of a project have of a field, for the completion of a filter: the first few by name. */
export async function listRunValues(
  { pool }: Pick<Context, "pool">,
  { project, field, like }: z.infer<typeof ListRunValues>,
): Promise<{ values: string[] }> {
  const value = field === "tag" ? "unnest(run.tags)" : (RUN_COLUMNS[field]?.sql ?? "NULL");
  const { rows } = await pool.query<{ name: string }>(
    `SELECT name FROM (SELECT DISTINCT ${value} AS name FROM run WHERE project = $1) AS found
     WHERE name ILIKE $2::text ORDER BY name LIMIT ${MOST}`,
    [project, likePattern(like)],
  );
  return { values: rows.map(({ name }) => name) };
}
