import type { RunCost, RunSpent } from "@liverl/contract/cost";
import { evaluationKey, FINAL_EVALUATION_KEY, TOKENS_KEY } from "@liverl/contract/metric";
import type { Context } from "#context.ts";
import { readPoints } from "#metrics/read-points.ts";
import { scaled } from "#runs/load-spent.ts";

const FIRST_STEP = -(2 ** 31) + 1;

/** What a run has used, and what that gained on tasks that it was not trained on. */
export async function costOfRun(
  { pool }: Pick<Context, "pool">,
  {
    runId,
    spent,
    finalReward,
  }: {
    runId: string;
    spent: RunSpent | null;
    /** Of the evaluation at the run's end, where it has one: it comes after all others. */
    finalReward: number | null;
  },
): Promise<RunCost | null> {
  if (spent === null) return null;
  const [tokens, tokensTrained, heldOutGain] = await Promise.all([
    tokensOf(pool, runId),
    tokensTrainedOf(pool, runId),
    gainOf(pool, runId, finalReward),
  ]);
  const perPoint = heldOutGain !== null && heldOutGain > 0 ? 1 / heldOutGain : null;
  return {
    ...{ ...spent, ...tokens, tokensTrained, heldOutGain },
    hoursPerPoint: perPoint === null ? null : spent.deviceHours * perPoint,
    moneyPerPoint: perPoint === null ? null : scaled(spent.money, perPoint),
  };
}

type Pool = Context["pool"];

async function tokensOf(pool: Pool, runId: string) {
  const { rows } = await pool.query<{ sampled: string; total: string }>(
    `SELECT COALESCE(sum(tokens_sampled), 0) AS sampled, COALESCE(sum(tokens_total), 0) AS total
     FROM rollout WHERE run_id = $1`,
    [runId],
  );
  const tokensSampled = Number(rows[0]?.sampled);
  return { tokensSampled, tokensPrompt: Math.max(0, Number(rows[0]?.total) - tokensSampled) };
}

/** Summed over what the trainer logged of every step. */
async function tokensTrainedOf(pool: Pool, runId: string): Promise<number | null> {
  const { rows } = await pool.query<{ tokens: number | null }>(
    `SELECT sum(p.value) AS tokens FROM series s JOIN chunk c ON c.series_id = s.id,
       unnest(c.values, c.flags) AS p(value, flag)
     WHERE s.run_id = $1 AND s.key = $2 AND p.flag = 0`,
    [runId, TOKENS_KEY],
  );
  const tokens = rows[0]?.tokens ?? null;
  return tokens === null ? null : Math.round(tokens);
}

async function gainOf(
  pool: Pool,
  runId: string,
  finalReward: number | null,
): Promise<number | null> {
  const { rows } = await pool.query<{ key: string; points: number; last: number | null }>(
    "SELECT key, points, last FROM series WHERE run_id = $1 AND key LIKE 'val-core/%'",
    [runId],
  );
  // A gain is over an evaluation that came before.
  const key = evaluationKey(
    rows.flatMap((row) => (row.key === FINAL_EVALUATION_KEY ? [] : row.key)),
  );
  const series = rows.find((row) => row.key === key);
  if (series === undefined) return null;
  const newest = finalReward ?? (series.points > 1 ? series.last : null);
  const { value } = await readPoints(pool, {
    ...{ runId, key: series.key, from: FIRST_STEP, limit: 1 },
  });
  const [first = null] = value;
  return newest === null || first === null ? null : newest - first;
}
