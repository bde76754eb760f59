import type { Context } from "#context.ts";
import type { ListRollouts, RolloutPage } from "#rollouts/list-rollouts.types.ts";
import { refreshLive } from "#rollouts/live-rollouts.ts";
import { loadRollouts } from "#rollouts/load-rollouts.ts";
import { countRollouts, selectRollouts } from "#rollouts/select-rollouts.ts";
import { getRunRow } from "#runs/get-run-row.ts";

/** Nobody reads so far, and to count a million rows takes longer than to show the first of them. */
const COUNTED = 10_000;

/** Rollouts that match, newest step first unless sorted otherwise; `cursor` goes on where a page ended. */
export async function listRollouts(
  ctx: Pick<Context, "db" | "pool" | "runner">,
  input: ListRollouts,
): Promise<RolloutPage> {
  const run = await getRunRow(ctx, input.runId);
  await refreshLive(ctx, run.id);
  const [{ ids, nextCursor }, counted] = await Promise.all([
    selectRollouts(ctx, input),
    input.cursor === undefined ? countRollouts(ctx, input, COUNTED + 1) : null,
  ]);
  return {
    rollouts: await loadRollouts(ctx, run, ids),
    nextCursor,
    total: counted === null ? null : Math.min(counted, COUNTED),
    hasMoreThanTotal: counted !== null && counted > COUNTED,
  };
}
