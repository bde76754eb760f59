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
export const NoteRollout = z.object({ rolloutId: z.string(), note: z.string().max(MOST_NOTE) });

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
  const { rowCount } = await ctx.pool.query(
    `UPDATE rollout SET tags = next FROM (SELECT rollout_id AS id, ${next} AS next FROM rollout WHERE ${where}) AS wanted
     WHERE rollout_id = id AND tags <> next AND cardinality(next) <= ${MOST_TAGS}`,
    values.list,
  );
  return { changed: rowCount ?? 0 };
}

/** Writes what people say of a rollout; empty text takes it away. */
export async function noteRollout(
  ctx: Pick<Context, "pool">,
  { rolloutId, note }: z.infer<typeof NoteRollout>,
): Promise<void> {
  const text = note.trim();
  const { rowCount } = await ctx.pool.query("UPDATE rollout SET note = $2 WHERE rollout_id = $1", [
    rolloutId,
    text === "" ? null : text,
  ]);
  if (rowCount === 0)
    throw new AppError("NOT_FOUND", { userMessage: `There is no rollout ${rolloutId}.` });
}
