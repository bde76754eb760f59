import { AppError } from "@liverl/contract/app-error";
import type { LaunchSpec } from "@liverl/contract/launch";
import type { GetStep, StepView } from "@liverl/contract/views";
import type { Rollout } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { viewGroups } from "#groups/view-groups.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import { slotOf } from "#metrics/chunk-points.ts";
import { pointsOfRow } from "#metrics/chunk-rows.ts";
import { loadLive, refreshLive } from "#rollouts/live-rollouts.ts";
import { sumUntrained } from "#rollouts/sum-untrained.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { buildHeadlines, HEADLINE_KEYS } from "#steps/build-headlines.ts";
import { stepRange } from "#steps/list-steps.ts";
import { findContradictions } from "#trajectories/find-contradictions.ts";
import { loadAccount } from "#updates/load-account.ts";

const HISTORY_STEPS = 40;
const OPEN = new Set(["queued", "running"]);

/** Everything of one step: its headline numbers, metrics and groups. */
export async function getStep(
  ctx: Pick<Context, "db" | "pool" | "config" | "runner">,
  { runId, step, mode }: GetStep,
): Promise<StepView> {
  const run = await getRunRow(ctx, runId);
  const range = await stepRange(ctx, { runId, mode });
  if (!range)
    throw new AppError("NOT_FOUND", {
      userMessage: `${runId} has no ${mode === "eval" ? "evaluations" : "steps"} yet.`,
    });
  const rows = await ctx.db.rollout.findMany({ where: { runId, mode, step } });
  const metrics = mode === "train" ? await metricsOfStep(ctx, runId, step) : [];
  if (rows.length === 0 && metrics.length === 0)
    throw new AppError("NOT_FOUND", {
      userMessage: `${runId} has no step ${step}; it has steps ${range.first} to ${range.last}.`,
    });
  const account = await loadAccount(ctx, run, rows);
  await refreshLive(ctx, runId);
  const live = await loadLive(ctx, runId, rows);
  const groups = viewGroups(rows.sort(byGroupAndIndex), account, live);
  const spec = settledSpec(run.spec);
  const history = await historyOf(ctx, runId, step);
  const untrained = mode === "train" ? await sumUntrained(ctx, run, step) : null;
  const pending = rows.filter((row) => OPEN.has(row.status)).length;
  const isOver = rows.length > 0 && pending === 0;
  return {
    step,
    firstStep: range.first,
    lastStep: range.last,
    mode,
    startedAt: earliest(rows),
    endedAt: rows.some((row) => OPEN.has(row.status)) ? null : latest(rows),
    versionSpan: versionSpanOf(rows),
    headlines: buildHeadlines(groups, history, mode === "train" ? step : null, {
      metrics,
      untrained,
    }),
    metrics,
    groups,
    contradicted: isOver ? (await findContradictions(ctx, { runId, step, mode })).rolloutIds : [],
    pending,
    askedOnly: await askedOnly(ctx, { runId, step, mode }),
    lengthCap: spec && lengthCapOf(spec),
    untrained,
  };
}

async function askedOnly(
  { pool }: Pick<Context, "pool">,
  { runId, step, mode }: GetStep,
): Promise<StepView["askedOnly"]> {
  const { rows } = await pool.query<StepView["askedOnly"]>(
    `SELECT count(step)::int AS elsewhere, (count(*) - count(step))::int AS nowhere FROM rollout
     WHERE run_id = $1 AND mode = $2 AND asked_step = $3 AND step IS DISTINCT FROM asked_step`,
    [runId, mode, step],
  );
  return rows[0] ?? { elsewhere: 0, nowhere: 0 };
}

/** Most tokens that a rollout may sample. */
function lengthCapOf(spec: LaunchSpec): number {
  return spec.driver === "embedded"
    ? spec.rollout.max_tokens * spec.rollout.max_turns
    : spec.lengths.max_response_length;
}

/** `g10` after `g9`. */
function byGroupAndIndex(a: Rollout, b: Rollout): number {
  return (
    a.groupId.length - b.groupId.length || a.groupId.localeCompare(b.groupId) || a.index - b.index
  );
}

function earliest(rows: readonly Rollout[]): string | null {
  const times = rows.map((row) => (row.startedAt ?? row.queuedAt).getTime());
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}

function latest(rows: readonly Rollout[]): string | null {
  const times = rows.flatMap((row) => row.endedAt?.getTime() ?? []);
  return times.length === 0 ? null : new Date(Math.max(...times)).toISOString();
}

function versionSpanOf(rows: readonly Rollout[]): [number, number] | null {
  const low = rows.flatMap((row) => row.versionMin ?? []);
  const high = rows.flatMap((row) => row.versionMax ?? []);
  return low.length === 0 || high.length === 0 ? null : [Math.min(...low), Math.max(...high)];
}

async function metricsOfStep(
  ctx: Pick<Context, "pool">,
  runId: string,
  step: number,
): Promise<StepView["metrics"]> {
  const { rows } = await ctx.pool.query<{ key: string; value: number; flag: number }>(
    `SELECT s.key, c.values[p.at] AS value, c.flags[p.at] AS flag
     FROM series s JOIN chunk c ON c.series_id = s.id AND c.slot = $3, LATERAL (SELECT array_position(c.steps, $2::int) AS at) p
     WHERE s.run_id = $1 AND p.at IS NOT NULL ORDER BY s.key`,
    [runId, step, slotOf(step)],
  );
  return rows.map((row) => ({ key: row.key, value: row.flag === 0 ? row.value : null }));
}

/** The headline series up to the step, oldest first: key → [step, value]. */
async function historyOf(
  ctx: Pick<Context, "pool">,
  runId: string,
  step: number,
): Promise<Map<string, [number, number | null][]>> {
  const { rows } = await ctx.pool.query(
    `SELECT s.key, c.steps, c.values, c.flags, c.wall_ms, c.seqs FROM series s JOIN chunk c ON c.series_id = s.id
     WHERE s.run_id = $1 AND s.key = ANY($2::text[]) AND c.slot BETWEEN $3 AND $4 ORDER BY c.slot`,
    [runId, HEADLINE_KEYS, slotOf(step - HISTORY_STEPS), slotOf(step)],
  );
  const history = new Map<string, [number, number | null][]>();
  for (const row of rows) {
    const points = pointsOfRow(row);
    const list = history.get(row.key) ?? [];
    for (const [i, at] of points.step.entries())
      if (at <= step && at > step - HISTORY_STEPS) list.push([at, points.value[i] ?? null]);
    history.set(row.key, list);
  }
  return history;
}
