import { COMPUTED_KEYS } from "@liverl/contract/metric";
import type { Context } from "#context.ts";
import { findContradictions } from "#trajectories/find-contradictions.ts";

const IS_OPEN = `
  SELECT 1 FROM rollout WHERE run_id = $1 AND mode = 'eval' AND step = $2 AND status IN ('queued', 'running') LIMIT 1`;

/** Adds what LiveRL computes of an evaluation, once its rollouts have ended. Again gives the same values. */
export async function computeEvaluationSeries(
  ctx: Pick<Context, "pool" | "ingest" | "config">,
  { runId, step }: { runId: string; step: number },
): Promise<void> {
  const open = await ctx.pool.query(IS_OPEN, [runId, step]);
  if (open.rows.length > 0) return;
  const { share } = await findContradictions(ctx, { runId, step, mode: "eval" });
  if (share === null) return;
  const values = { [COMPUTED_KEYS.contradictedEval]: share };
  await ctx.ingest.append(runId, [{ step, wallMs: Date.now(), values }]);
}
