import type { Distribution, Quantity, ReadDistribution } from "@liverl/contract/distribution";
import type { Context } from "#context.ts";
import { bucketWidth } from "#metrics/buckets.ts";
import { chooseBins } from "#rollouts/choose-bins.ts";
import { getRunRow } from "#runs/get-run-row.ts";

/** SQL of each value, and whether it counts whole things. Seconds are of the attempt that ended the rollout. */
const VALUE = {
  reward: { sql: "reward::float8", isWhole: false },
  response_length: { sql: "tokens_sampled::float8", isWhole: true },
  turns: { sql: "turns::float8", isWhole: true },
  version_span: { sql: "(version_max - version_min)::float8", isWhole: true },
  agent_s: { sql: "(timings->>'agentS')::float8", isWhole: false },
  verify_s: { sql: "(timings->>'verifyS')::float8", isWhole: false },
} as const satisfies Record<Quantity, { sql: string; isWhole: boolean }>;

const NOTHING: Distribution = {
  bucketSteps: 1,
  low: 0,
  high: 1,
  bins: 1,
  step: [],
  n: [],
  p10: [],
  median: [],
  p90: [],
  counts: [],
};

/**
 * How a value spreads over the training rollouts that have a reward, by steps. One that the infrastructure failed counts nowhere.
 * A rollout that no update took is of no step. Empty where nothing is known, as of runs whose rollouts are not ours.
 */
export async function readDistribution(
  ctx: Pick<Context, "db" | "pool">,
  { runId, quantity, range, buckets }: ReadDistribution,
): Promise<Distribution> {
  await getRunRow(ctx, runId);
  const { sql, isWhole } = VALUE[quantity];
  const values = `SELECT step, ${sql} AS v FROM rollout
    WHERE run_id = $1 AND mode = 'train' AND status = 'succeeded' AND reward IS NOT NULL
      AND step BETWEEN $2 AND $3 AND ${sql} IS NOT NULL`;
  const [first, last] = range ?? [0, 2_147_483_647];
  const extent = await ctx.pool.query<{ lo: number | null; hi: number; low: number; high: number }>(
    `SELECT min(step) AS lo, max(step) AS hi, min(v) AS low, max(v) AS high FROM (${values}) AS known`,
    [runId, first, last],
  );
  const [found] = extent.rows;
  if (found === undefined || found.lo === null) return NOTHING;
  const bucketSteps = bucketWidth(found.lo, found.hi, buckets);
  const bins = chooseBins(found.low, found.high, isWhole);
  const input = [runId, first, last, bucketSteps];
  const [spread, counted] = await Promise.all([
    ctx.pool.query<{ bucket: number; step: number; n: number; q: [number, number, number] }>(
      `SELECT step / $4 AS bucket, max(step) AS step, count(*)::int AS n,
         percentile_cont(ARRAY[0.1, 0.5, 0.9]) WITHIN GROUP (ORDER BY v) AS q
       FROM (${values}) AS known GROUP BY 1 ORDER BY 1`,
      input,
    ),
    ctx.pool.query<{ bucket: number; bin: number; n: number }>(
      `SELECT step / $4 AS bucket, least($7, width_bucket(v, $5, $6, $7)) AS bin, count(*)::int AS n
       FROM (${values}) AS known GROUP BY 1, 2`,
      [...input, bins.low, bins.high, bins.count],
    ),
  ]);
  const place = new Map(spread.rows.map(({ bucket }, at) => [bucket, at]));
  const counts = spread.rows.map(() => new Array<number>(bins.count).fill(0));
  for (const { bucket, bin, n } of counted.rows) {
    const column = counts[place.get(bucket) ?? -1];
    // A reader may come between two writes: a bucket of the second query alone is seen with the next look.
    if (column !== undefined) column[Math.max(0, bin - 1)] = n;
  }
  return {
    bucketSteps,
    low: bins.low,
    high: bins.high,
    bins: bins.count,
    step: spread.rows.map(({ step }) => step),
    n: spread.rows.map(({ n }) => n),
    p10: spread.rows.map(({ q }) => q[0]),
    median: spread.rows.map(({ q }) => q[1]),
    p90: spread.rows.map(({ q }) => q[2]),
    counts,
  };
}
