import type { RolloutMode } from "@liverl/contract/rollout";
import type { Context } from "#context.ts";

/** Steps that have rollouts of the mode. A run whose rollouts are not ours has the steps of its metrics. */
export async function listSteps(
  ctx: Pick<Context, "pool">,
  { runId, mode }: { runId: string; mode: RolloutMode },
): Promise<{ steps: number[] }> {
  const { rows } = await ctx.pool.query<{ step: number }>(
    "SELECT DISTINCT step FROM rollout WHERE run_id = $1 AND mode = $2 AND step IS NOT NULL ORDER BY step",
    [runId, mode],
  );
  if (rows.length > 0 || mode === "eval") return { steps: rows.map((row) => row.step) };
  const logged = await ctx.pool.query<{ step: number }>(
    "SELECT DISTINCT unnest(c.steps) AS step FROM series s JOIN chunk c ON c.series_id = s.id WHERE s.run_id = $1 ORDER BY step",
    [runId],
  );
  return { steps: logged.rows.map((row) => row.step) };
}
