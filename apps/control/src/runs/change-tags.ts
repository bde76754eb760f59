import type { Pool, PoolClient } from "pg";

/** Of one run: as many as a tracker's client may bring. */
export const MOST_RUN_TAGS = 100;

export interface TagChange {
  add: readonly string[];
  remove: readonly string[];
}

/**
 * Adds and takes away tags of runs, in the order in which they were given, the new ones last; the others stay, whoever gave them. All of
 * the runs or none: `full` of them would have too many.
 */
export function changeTags(
  db: Pool | PoolClient,
  ids: readonly string[],
  change: TagChange,
): Promise<{ changed: string[]; full: number }> {
  return writeTags(db, ids, change, { cuts: false });
}

/** The same of one run, for a tracker's client, which must not fail for them: new tags as there is room. Returns those that found none. */
export async function fitTags(
  db: Pool | PoolClient,
  id: string,
  change: TagChange,
): Promise<string[]> {
  // Of a call that brings params alone.
  if (change.add.length + change.remove.length === 0) return [];
  await writeTags(db, [id], change, { cuts: true });
  const { rows } = await db.query<{ tag: string }>(
    "SELECT tag FROM unnest($2::text[]) AS tag WHERE tag <> ALL(SELECT unnest(tags) FROM run WHERE id = $1)",
    [id, change.add],
  );
  return rows.map(({ tag }) => tag);
}

async function writeTags(
  db: Pool | PoolClient,
  ids: readonly string[],
  { add, remove }: TagChange,
  { cuts }: { cuts: boolean },
): Promise<{ changed: string[]; full: number }> {
  // Locked before they are read, so that of two who tag at once both are heard; in one order, so that neither waits for ever.
  const { rows } = await db.query<{ changed: string[]; full: number }>(
    `WITH locked AS (SELECT id AS of, tags FROM run WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE),
       wanted AS (SELECT of, ARRAY(
         SELECT tag FROM unnest(tags || $2::text[]) WITH ORDINALITY AS given (tag, at)
         WHERE tag <> ALL($3::text[]) GROUP BY tag ORDER BY min(at)
         LIMIT CASE WHEN $4 THEN greatest(${MOST_RUN_TAGS}, cardinality(tags)) END) AS next FROM locked),
       refused AS (SELECT count(*)::int AS n FROM wanted WHERE NOT $4 AND cardinality(next) > ${MOST_RUN_TAGS}),
       done AS (UPDATE run SET tags = next FROM wanted
         WHERE id = of AND tags <> next AND (SELECT n FROM refused) = 0 RETURNING id)
     SELECT ARRAY(SELECT id FROM done ORDER BY id) AS changed, n AS full FROM refused`,
    [ids, add, remove, cuts],
  );
  return rows[0] ?? { changed: [], full: 0 };
}
