import type { RolloutRow } from "@liverl/contract/views";
import type { Context } from "#context.ts";
import { loadRollouts } from "#rollouts/load-rollouts.ts";
import { type RolloutSelection, selectRollouts } from "#rollouts/select-rollouts.ts";
import { getRunRow } from "#runs/get-run-row.ts";

const BATCH = 1_000;

/** All rollouts of a selection, a batch at a time: memory is bounded by one batch. */
export async function* streamRollouts(
  ctx: Pick<Context, "db" | "pool">,
  selection: RolloutSelection & { sort?: string | undefined },
): AsyncGenerator<RolloutRow[]> {
  const run = await getRunRow(ctx, selection.runId);
  let cursor: string | undefined;
  do {
    const page = await selectRollouts(ctx, { ...selection, cursor, limit: BATCH });
    if (page.ids.length > 0) yield await loadRollouts(ctx, run, page.ids);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
