import {
  COMPUTED_KEYS,
  DROPPED_PREFIX,
  NO_REWARD,
  UNTRAINED_PREFIX,
} from "@liverl/contract/metric";
import { isTerminal, RunStatus } from "@liverl/contract/run";
import { type UntrainedSum, untrainedTotal } from "@liverl/contract/untrained-tokens";
import { SINGLE_OUTPUT_MODES } from "@liverl/contract/verl-launch";
import type { Context } from "#context.ts";
import { groupOutcome } from "#groups/group-outcome.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import type { MetricValue } from "#metrics/ingest.ts";
import { metricValueOf } from "#metrics/metric-flag.ts";
import { failureSeries } from "#rollouts/failure-series.ts";
import { type PhaseSeconds, stragglerSeries } from "#rollouts/straggler-series.ts";
import { sumUntrained } from "#rollouts/sum-untrained.ts";
import { taskJumps } from "#rollouts/task-jumps.ts";
import { type Drops, dropsOf, whyFiltered } from "#rollouts/why-filtered.ts";
import { findContradictions } from "#trajectories/find-contradictions.ts";

interface Row extends PhaseSeconds {
  group_id: string;
  status: string;
  reward: number | null;
  turns: number;
  termination: string | null;
  verify_s: number | null;
  kept_segments: number;
  routing_coverage: number | null;
  integrity_kinds: readonly string[];
  error_type: string | null;
  version_max: number | null;
}

/** What series are computed and logged with. */
type SeriesContext = Pick<Context, "pool" | "ingest" | "config">;

const ENDED = new Set(["succeeded", "failed"]);
const ENDED_RUN = new Set<string>(RunStatus.options.filter(isTerminal));

/**
 * Adds the series that no trainer logs, once every rollout of a training step has ended. Again gives the same values. A
 * step with cancelled rollouts was given up, by a stop or a crash: it has no values.
 */
export async function computeGroupSeries(
  ctx: SeriesContext,
  runId: string,
  step: number,
): Promise<void> {
  const run = await ctx.pool.query<{ spec: unknown; status: string }>(
    "SELECT spec, status FROM run WHERE id = $1",
    [runId],
  );
  const [row] = run.rows;
  const plan = stepPlan(row?.spec);
  if (plan.takesOne) await ctx.pool.query(CLAIM, [runId, step]);
  const { rows } = await ctx.pool.query<Row>(ROWS, [runId, step]);
  if (rows.length === 0 || !rows.every((row) => ENDED.has(row.status))) return;
  // Of a step that trained fewer than planned, or weights' first ones of many, a later step's rollouts or the run's end tell
  // that no more come.
  const isWhole = rows.length >= plan.rollouts || ENDED_RUN.has(row?.status ?? "");
  if (!isWhole && !(await isLeftBehind(ctx, runId, step))) return;
  const { share } = await findContradictions(ctx, { runId, step, mode: "train" });
  const values = {
    ...groupSeries(rows, plan),
    ...(await taskJumps(ctx, runId, step)),
    ...untrainedSeries(await sumUntrained(ctx, { id: runId, spec: row?.spec }, step)),
    ...(share !== null && { [COMPUTED_KEYS.contradicted]: share }),
  };
  await ctx.ingest.append(runId, [{ step, wallMs: Date.now(), values }]);
}

const ROWS = `
  SELECT group_id, status, reward, turns, termination, kept_segments, routing_coverage, integrity_kinds, version_max,
    error ->> 'exception_type' AS error_type, (timings->>'verifyS')::float8 AS verify_s,
    (timings->>'setupS')::float8 AS setup, (timings->>'generateS')::float8 AS generate,
    (timings->>'toolS')::float8 AS tool, (timings->>'verifyS')::float8 AS verify
  FROM rollout WHERE run_id = $1 AND mode = 'train' AND step = $2`;

/** Rollouts that failed before they sampled name no weights: they are of the step whose rollouts were asked for beside them. */
const CLAIM = `
  UPDATE rollout SET step = $2, asked_step = COALESCE(asked_step, $2)
  FROM (SELECT min(queued_at) AS first, max(queued_at) AS last FROM rollout
    WHERE run_id = $1 AND mode = 'train' AND step = $2) AS asked
  WHERE run_id = $1 AND mode = 'train' AND step IS NULL AND status = 'failed' AND queued_at BETWEEN first AND last`;

async function isLeftBehind(
  { pool }: Pick<Context, "pool">,
  runId: string,
  step: number,
): Promise<boolean> {
  const { rows } = await pool.query(
    "SELECT 1 FROM rollout WHERE run_id = $1 AND mode = 'train' AND step > $2 AND status IN ('succeeded', 'failed') LIMIT 1",
    [runId, step],
  );
  return rows.length > 0;
}

/** The step before, where it waited for word that no more of its rollouts come. */
export async function completeStepBefore(
  ctx: SeriesContext,
  runId: string,
  step: number,
): Promise<void> {
  const { rows } = await ctx.pool.query<{ step: number }>(
    `SELECT before.step FROM (SELECT max(step) AS step FROM rollout WHERE run_id = $1 AND mode = 'train' AND step < $2) AS before
     WHERE before.step IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM series s JOIN chunk c ON c.series_id = s.id WHERE s.run_id = $1 AND s.key = $3 AND before.step = ANY(c.steps))`,
    [runId, step, COMPUTED_KEYS.zeroStd],
  );
  for (const before of rows) await computeGroupSeries(ctx, runId, before.step);
}

/** What a run's spec says of the rollouts of a step. */
interface StepPlan {
  /** Rollouts that one step trains; fully_async counts parameter versions as steps. */
  rollouts: number;
  dropped: Drops | null;
  /** The trainer trains one segment of each rollout. */
  takesOne: boolean;
}

/** Pure. Of a run without a spec any number of rollouts is a step. */
export function stepPlan(stored: unknown): StepPlan {
  const spec = settledSpec(stored);
  if (spec === null) return { rollouts: 0, dropped: null, takesOne: false };
  const { batch } = spec;
  const { require_batches, trigger_parameter_sync_step } = spec.async;
  const { trainer_mode } = spec.algorithm;
  const perUpdate =
    spec.driver === "embedded" ? batch.train_batch_size : spec.batch.ppo_mini_batch_size;
  const prompts =
    trainer_mode === "fully_async"
      ? perUpdate * require_batches * trigger_parameter_sync_step
      : batch.train_batch_size;
  return {
    rollouts: prompts * batch.n,
    dropped: dropsOf(spec.trajectory_filter),
    takesOne: spec.driver !== "embedded" && SINGLE_OUTPUT_MODES.includes(trainer_mode),
  };
}

/** The filter's first word for it, or that it has no reward; null where it trains. */
function whyDropped(row: Row, dropped: Drops | null): string | null {
  const { termination, integrity_kinds: integrityKinds } = row;
  const filtered = whyFiltered({ termination, integrityKinds }, dropped);
  return filtered ?? (row.reward === null ? NO_REWARD : null);
}

/** Every reason of the filter has its series, also at 0. */
function dropCounts(rows: readonly Row[], dropped: Drops): Record<string, number> {
  const counts = new Map([...dropped.values(), NO_REWARD].map((reason) => [reason, 0]));
  for (const row of rows) {
    const reason = whyDropped(row, dropped);
    if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return Object.fromEntries(
    [...counts].map(([reason, count]) => [`${DROPPED_PREFIX}${reason}`, count]),
  );
}

/** Nothing where it is not known, and 0 where every token trained. Pure. */
function untrainedSeries(sum: UntrainedSum | null): Record<string, number> {
  if (sum === null || sum.sampled === 0) return {};
  return {
    [COMPUTED_KEYS.untrained]: untrainedTotal(sum) / sum.sampled,
    ...Object.fromEntries(
      sum.reasons.map(({ reason, tokens }) => [UNTRAINED_PREFIX + reason, tokens / sum.sampled]),
    ),
  };
}

/** The computed values of one step's rollouts. Pure. */
export function groupSeries(
  rows: readonly Row[],
  { dropped, takesOne }: Pick<StepPlan, "dropped" | "takesOne">,
): Record<string, MetricValue> {
  const kept = rows.filter((row) => whyDropped(row, dropped) === null);
  const groups = new Map<string, (number | null)[]>();
  for (const row of rows)
    groups.set(row.group_id, [...(groups.get(row.group_id) ?? []), row.reward]);
  const outcomes = [...groups.values()].map(groupOutcome);
  const share = (solved: string) =>
    outcomes.filter((outcome) => outcome.solved === solved).length / outcomes.length;
  const mean = (values: number[]) =>
    metricValueOf(
      values.length === 0 ? Number.NaN : values.reduce((a, b) => a + b, 0) / values.length,
    );
  const routed = kept.flatMap((row) => row.routing_coverage ?? []);
  const versions = rows.flatMap((row) => row.version_max ?? []);
  return {
    [COMPUTED_KEYS.groupsNone]: share("none"),
    [COMPUTED_KEYS.groupsPart]: share("part"),
    [COMPUTED_KEYS.groupsAll]: share("all"),
    [COMPUTED_KEYS.zeroStd]:
      outcomes.filter((outcome) => outcome.std === 0).length / outcomes.length,
    [COMPUTED_KEYS.invalidRatio]: rows.filter((row) => row.reward === null).length / rows.length,
    [COMPUTED_KEYS.agentErrors]:
      rows.filter((row) => row.termination === "agent-error").length / rows.length,
    ...failureSeries(rows),
    ...stragglerSeries(rows),
    [COMPUTED_KEYS.turnsMean]: mean(rows.map((row) => row.turns)),
    [COMPUTED_KEYS.verifyS]: mean(rows.flatMap((row) => row.verify_s ?? [])),
    [COMPUTED_KEYS.rewardMean]: mean(kept.flatMap((row) => row.reward ?? [])),
    ...(takesOne && {
      [COMPUTED_KEYS.singleOutput]: rows.reduce((sum, row) => sum + row.kept_segments, 0),
    }),
    ...(versions.length > 0 && { [COMPUTED_KEYS.weightVersion]: Math.max(...versions) }),
    ...(routed.length > 0 && { [COMPUTED_KEYS.routingCoverage]: mean(routed) }),
    ...(dropped && { [COMPUTED_KEYS.filtered]: 1 - kept.length / rows.length }),
    ...(dropped && dropCounts(rows, dropped)),
  };
}

/** The end of a run tells that its last step gets no more rollouts. */
export async function completeEndedRun(
  ctx: SeriesContext & Pick<Context, "log">,
  runId: string,
): Promise<void> {
  await completeGroupSeries(ctx, runId).catch((error: unknown) =>
    // The run has ended all the same; the next start of control makes up for it.
    ctx.log.warn({ err: error, runId }, "computed series wait"),
  );
}

/** Steps that have rollouts and lack the computed series, of a run or wherever they are: they are made up for. */
export async function completeGroupSeries(
  ctx: SeriesContext,
  runId: string | null = null,
): Promise<void> {
  const { rows } = await ctx.pool.query<{ run_id: string; step: number }>(
    `SELECT run_id, step FROM rollout WHERE mode = 'train' AND step IS NOT NULL AND run_id IS NOT NULL
       AND ($2::text IS NULL OR run_id = $2)
     EXCEPT SELECT s.run_id, unnest(c.steps) FROM series s JOIN chunk c ON c.series_id = s.id WHERE s.key = $1
     ORDER BY run_id, step`,
    [COMPUTED_KEYS.zeroStd, runId],
  );
  for (const { run_id, step } of rows) await computeGroupSeries(ctx, run_id, step);
}
