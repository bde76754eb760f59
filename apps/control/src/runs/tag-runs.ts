import { AppError } from "@liverl/contract/app-error";
import { z } from "zod";
import type { Context } from "#context.ts";
import { Tag } from "#rollouts/tag.ts";
import { changeTags, MOST_RUN_TAGS } from "#runs/change-tags.ts";

const MOST_RUNS = 1_000;

export const TagRuns = z
  .object({
    ids: z.array(z.string()).min(1).max(MOST_RUNS),
    add: z.array(Tag).max(20).default([]),
    /** Also such as a tracker's client wrote, which are any text. */
    remove: z.array(z.string().min(1).max(200)).max(MOST_RUN_TAGS).default([]),
  })
  .refine(({ add, remove }) => add.length + remove.length > 0, "tags to add or to remove")
  .refine(
    ({ add, remove }) => !add.some((tag) => remove.includes(tag)),
    "a tag to add or to remove, not both",
  );

/** Adds and takes away tags of runs; a repeat changes nothing. Throws where one of them is not there or would have too many. */
export async function tagRuns(
  { pool, live }: Pick<Context, "pool" | "live">,
  { ids, add, remove }: z.infer<typeof TagRuns>,
): Promise<{ changed: number }> {
  const known = await pool.query<{ id: string }>("SELECT id FROM run WHERE id = ANY($1::text[])", [
    ids,
  ]);
  const there = new Set(known.rows.map(({ id }) => id));
  const missing = ids.find((id) => !there.has(id));
  if (missing !== undefined)
    throw new AppError("NOT_FOUND", {
      userMessage: `There is no run ${missing}. Nothing was changed.`,
    });
  const { changed, full } = await changeTags(pool, ids, { add, remove });
  if (full > 0)
    throw new AppError("BAD_REQUEST", {
      userMessage: `A run has ${MOST_RUN_TAGS} tags at most, and ${full} would have more: take some away first. Nothing was changed.`,
    });
  for (const id of changed) live.emit("run", id);
  return { changed: changed.length };
}
