import { AppError } from "@liverl/contract/app-error";
import { z } from "zod";
import type { Context } from "#context.ts";
import { SqlValues } from "#filters/sql-values.ts";
import { FilterText } from "#rollouts/list-rollouts.types.ts";
import { countRollouts, whereOf } from "#rollouts/select-rollouts.ts";
import { MOST_NOTE, MOST_TAGS, Tag } from "#rollouts/tag.ts";
import { getRunRow } from "#runs/get-run-row.ts";

const MOST_AT_ONCE = 10_000;

const Tags = z.array(Tag).max(MOST_TAGS).default([]);

export const TagRollouts = z.object({
  runId: z.string(),
  /** These, or all that the filter matches. */
  ids: z.array(z.string()).min(1).max(MOST_AT_ONCE).optional(),
  f: FilterText.optional(),
  add: Tags,
  remove: Tags,
});
export const NoteRollout = z.object({
  rolloutId: z.string(),
  note: z.string().max(MOST_NOTE),
  /** The note that this one replaces, empty for none; another one is then not written over. */
  seen: z.string().max(MOST_NOTE).optional(),
});

/** Adds and takes away tags of many rollouts at once; a repeat changes nothing. */
export async function tagRollouts(
  ctx: Pick<Context, "db" | "pool">,
  { add, remove, ...selection }: z.infer<typeof TagRollouts>,
): Promise<{ changed: number }> {
  await getRunRow(ctx, selection.runId);
  const count = await countRollouts(ctx, selection, MOST_AT_ONCE + 1);
  if (count > MOST_AT_ONCE)
    throw new AppError("BAD_REQUEST", {
      userMessage: `More than ${MOST_AT_ONCE} rollouts match: narrow the filter.`,
    });
  const values = new SqlValues();
  const where = whereOf(selection, values);
  const next = `ARRAY(SELECT DISTINCT tag FROM unnest(tags || ${values.add(add)}::text[]) AS tag
    WHERE tag <> ALL(${values.add(remove)}::text[]) ORDER BY tag)`;
  // Locked before they are read, so that of two who tag at once both are heard; in one order, so that neither waits for ever.
  // All or none: nobody has to find out afterwards which of them were left out.
  const { rows } = await ctx.pool.query<{ changed: number; full: number }>(
    `WITH locked AS (SELECT rollout_id AS id, tags FROM rollout WHERE ${where} ORDER BY rollout_id FOR UPDATE),
       wanted AS (SELECT id, ${next} AS next FROM locked),
       refused AS (SELECT count(*)::int AS n FROM wanted WHERE cardinality(next) > ${MOST_TAGS}),
       done AS (UPDATE rollout SET tags = next FROM wanted
         WHERE rollout_id = id AND tags <> next AND (SELECT n FROM refused) = 0 RETURNING 1)
     SELECT (SELECT count(*)::int FROM done) AS changed, n AS full FROM refused`,
    values.list,
  );
  const { changed = 0, full = 0 } = rows[0] ?? {};
  if (full > 0)
    throw new AppError("BAD_REQUEST", {
      userMessage: `A rollout has ${MOST_TAGS} tags at most, and ${full} would have more: take some away first. Nothing was changed.`,
    });
  return { changed };
}

/** Writes what people say of a rollout; empty text takes it away. */
export async function noteRollout(
  ctx: Pick<Context, "pool">,
  { rolloutId, note, seen }: z.infer<typeof NoteRollout>,
): Promise<void> {
  const { rowCount } = await ctx.pool.query(
    `UPDATE rollout SET note = nullif($2, '') WHERE rollout_id = $1 AND ($3::text IS NULL OR coalesce(note, '') = $3)`,
    [rolloutId, note.trim(), seen ?? null],
  );
  if (rowCount !== 0) return;
  const { rows } = await ctx.pool.query<{ note: string | null }>(
    "SELECT note FROM rollout WHERE rollout_id = $1",
    [rolloutId],
  );
  if (rows[0] === undefined)
    throw new AppError("NOT_FOUND", { userMessage: `There is no rollout ${rolloutId}.` });
  throw new AppError("CONFLICT", {
    userMessage: `The note was changed meanwhile, to “${rows[0].note ?? ""}”. Nothing is written over: close this, look, and write again.`,
  });
}
