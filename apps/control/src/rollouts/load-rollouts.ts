import type { RolloutRow } from "@liverl/contract/views";
import type { Context } from "#context.ts";
import { groupAdvantage, groupOutcome } from "#groups/group-outcome.ts";
import { viewRollout } from "#rollouts/view-rollout.ts";

/** Rows of a run by their ids, in that order, each with its advantage, which takes the rewards of its whole group. */
export async function loadRollouts(
  ctx: Pick<Context, "db" | "pool">,
  runId: string,
  ids: readonly string[],
  divideByStd: boolean,
): Promise<RolloutRow[]> {
  const found = await ctx.db.rollout.findMany({ where: { rolloutId: { in: [...ids] } } });
  const byId = new Map(found.map((row) => [row.rolloutId, row]));
  const { rows: groups } = await ctx.pool.query<{ id: string; rewards: (number | null)[] }>(
    `SELECT group_id AS id, array_agg(reward) AS rewards FROM rollout
     WHERE run_id = $1 AND group_id = ANY($2::text[]) AND mode = 'train' GROUP BY group_id HAVING count(*) > 1`,
    [runId, [...new Set(found.map((row) => row.groupId))]],
  );
  const outcomes = new Map(groups.map(({ id, rewards }) => [id, groupOutcome(rewards)]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    if (!row) return [];
    const outcome = row.mode === "train" ? outcomes.get(row.groupId) : undefined;
    return [viewRollout(row, outcome ? groupAdvantage(row.reward, outcome, divideByStd) : null)];
  });
}
