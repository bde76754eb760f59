import { indexUpdates, type UpdatesContext } from "#updates/index-updates.ts";

/** Takes in the updates that no follower read: of runs that ended while control was away, or before it knew of such records. */
export async function completeUpdates(ctx: UpdatesContext): Promise<void> {
  const { rows } = await ctx.pool.query<{ id: string }>(
    "SELECT id FROM run WHERE driver = 'embedded' ORDER BY created_at, id",
  );
  for (const { id } of rows)
    await indexUpdates(ctx, id).catch((error: unknown) =>
      // One run's broken files keep no other from its own.
      ctx.log.warn({ err: error, runId: id }, "updates can not be read"),
    );
}
