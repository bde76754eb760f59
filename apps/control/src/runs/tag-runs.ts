import { z } from "zod";
import type { Context } from "#context.ts";
import { Tag } from "#rollouts/tag.ts";

const MOST_RUNS = 1_000;
/** Of one run: as many as a tracker's client may bring. */
const MOST_TAGS = 100;

export const TagRuns = z.object({
  ids: z.array(z.string()).min(1).max(MOST_RUNS),
  add: z.array(Tag).max(20).default([]),
  /** Also such as a tracker's client wrote, which are any text. */
  remove: z.array(z.string().min(1).max(200)).max(MOST_TAGS).default([]),
});

/** Adds and takes away tags of runs; a repeat changes nothing, and a run that is not there is passed over. */
export async function tagRuns(
  { pool, live }: Pick<Context, "pool" | "live">,
  { ids, add, remove }: z.infer<typeof TagRuns>,
): Promise<{ changed: number }> {
  // In the order in which they were given, the new ones last.
  const { rows } = await pool.query<{ id: string }>(
    `UPDATE run SET tags = next FROM (
       SELECT id AS of, ARRAY(
         SELECT tag FROM unnest(tags || $2::text[]) WITH ORDINALITY AS all_tags (tag, at)
         WHERE tag <> ALL($3::text[]) GROUP BY tag ORDER BY min(at)
       ) AS next
       FROM run WHERE id = ANY($1::text[])
     ) AS wanted
     WHERE id = of AND tags <> next AND cardinality(next) <= ${MOST_TAGS}
     RETURNING id`,
    [ids, add, remove],
  );
  for (const { id } of rows) live.emit("run", id);
  return { changed: rows.length };
}
