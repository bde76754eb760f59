import type { LaunchSpec } from "@liverl/contract/launch";
import { METRIC_ALIASES } from "@liverl/contract/metric";
import type { RunCost } from "@liverl/contract/run";
import type { Context } from "#context.ts";
import { readPoints } from "#metrics/read-points.ts";

/** A single step's reward says little: the ends of a run are means of so many. */
const ENDS = 5;

/**
 * What a run has used: the time that it was at work times the devices that it holds all that time, and its tokens. Null for a
 * run whose devices LiveRL does not know.
 */
export async function costOfRun(
  ctx: Pick<Context, "pool">,
  { runId, spec, seconds }: { runId: string; spec: LaunchSpec | null; seconds: number },
): Promise<RunCost | null> {
  if (spec === null) return null;
  const { device, devices } = devicesOf(spec);
  const deviceHours = (seconds * devices) / 3600;
  const [tokens, rewardGain] = await Promise.all([tokensOf(ctx, runId), gainOf(ctx, runId)]);
  return {
    ...{ device, devices, deviceHours, rewardGain, ...tokens },
    // A tenth of a reward point: a whole one is the whole scale.
    hoursPerTenth: rewardGain !== null && rewardGain > 0 ? deviceHours / (rewardGain * 10) : null,
  };
}

/** GPUs of all pools of a run of verl; the processes that compute of one on this machine. Pure. */
export function devicesOf(spec: LaunchSpec): Pick<RunCost, "device" | "devices"> {
  if (spec.driver === "embedded") return { device: "cpu", devices: spec.rollout.engines + 1 };
  const { nnodes, n_gpus_per_node, rollout_nnodes, rollout_n_gpus_per_node } = spec.layout;
  return {
    device: "gpu",
    devices: nnodes * n_gpus_per_node + rollout_nnodes * rollout_n_gpus_per_node,
  };
}

async function tokensOf({ pool }: Pick<Context, "pool">, runId: string) {
  const { rows } = await pool.query<{ sampled: string; total: string }>(
    `SELECT COALESCE(sum(tokens_sampled), 0) AS sampled, COALESCE(sum(tokens_total), 0) AS total
     FROM rollout WHERE run_id = $1`,
    [runId],
  );
  return { tokensSampled: Number(rows[0]?.sampled), tokensTotal: Number(rows[0]?.total) };
}

/** How far the training reward rose from the first steps to the last ones; null before there are two of each. */
async function gainOf({ pool }: Pick<Context, "pool">, runId: string): Promise<number | null> {
  const keys = [...METRIC_ALIASES["reward/mean"]];
  const { rows } = await pool.query<{ key: string; last_step: number; points: number }>(
    `SELECT key, last_step, points FROM series WHERE run_id = $1 AND key = ANY($2::text[])
     ORDER BY array_position($2::text[], key) LIMIT 1`,
    [runId, keys],
  );
  const [series] = rows;
  const count = Math.min(ENDS, Math.floor((series?.points ?? 0) / 2));
  if (!series || count === 0) return null;
  const read = (from: number, limit: number) =>
    readPoints(pool, { runId, key: series.key, from, limit });
  const first = await read(0, count);
  const last = await read(Math.max(0, series.last_step - ENDS * 4), ENDS * 4 + 1);
  const gain = mean(last.value.slice(-count)) - mean(first.value);
  return Number.isFinite(gain) ? gain : null;
}

function mean(values: readonly (number | null)[]): number {
  const finite = values.filter((value) => value !== null);
  return finite.reduce((sum, value) => sum + value, 0) / finite.length;
}
