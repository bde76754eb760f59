import type { RolloutMode } from "@liverl/contract/rollout";
import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";

/** A trainer logs most of its metrics at every step: the series with the most points knows them all. */
const LONGEST = "SELECT id FROM series WHERE run_id = $1 ORDER BY points DESC, id LIMIT 1";

/** Steps that have rollouts of the mode. A run whose rollouts are not ours has the steps of its longest series. */
export async function listSteps(
  ctx: Pick<Context, "db" | "pool">,
  { runId, mode }: { runId: string; mode: RolloutMode },
): Promise<{ steps: number[] }> {
  const { rows } = await ctx.pool.query<{ step: number }>(
    "SELECT DISTINCT step FROM rollout WHERE run_id = $1 AND mode = $2 AND step IS NOT NULL ORDER BY step",
    [runId, mode],
  );
  if (rows.length === 0) await getRunRow(ctx, runId);
  if (rows.length > 0 || mode === "eval") return { steps: rows.map((row) => row.step) };
  const logged = await ctx.pool.query<{ step: number }>(
    `SELECT unnest(steps) AS step FROM chunk WHERE series_id = (${LONGEST}) ORDER BY step`,
    [runId],
  );
  return { steps: logged.rows.map((row) => row.step) };
}

/** The first and the last of those steps, without a look at the ones between; null where there is none. */
export async function stepRange(
  ctx: Pick<Context, "pool">,
  { runId, mode }: { runId: string; mode: RolloutMode },
): Promise<{ first: number; last: number } | null> {
  type Range = { first: number; last: number };
  const { rows } = await ctx.pool.query<Range | { first: null; last: null }>(
    "SELECT min(step) AS first, max(step) AS last FROM rollout WHERE run_id = $1 AND mode = $2",
    [runId, mode],
  );
  const [range] = rows;
  if (range && range.first !== null) return range;
  if (mode === "eval") return null;
  const logged = await ctx.pool.query<Range>(
    `SELECT (SELECT steps[1] FROM chunk WHERE series_id = s.id ORDER BY slot LIMIT 1) AS first, s.last_step AS last
     FROM series s WHERE s.points > 0 AND s.id = (${LONGEST})`,
    [runId],
  );
  return logged.rows[0] ?? null;
}
