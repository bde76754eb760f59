import { setTimeout as sleep } from "node:timers/promises";
import type { TrialChange, TrialFeed } from "@liverl/contract/rollout";
import type { PoolClient } from "pg";
import type { Context } from "#context.ts";
import { inTransaction } from "#database/in-transaction.ts";
import { computeEvaluationSeries } from "#rollouts/compute-evaluation-series.ts";
import {
  completeGroupSeries,
  completeStepBefore,
  computeGroupSeries,
} from "#rollouts/compute-group-series.ts";
import { ASKS_AHEAD } from "#updates/asks-ahead.ts";
import { completeUpdates } from "#updates/complete-updates.ts";
import { lockTakes } from "#updates/lock-takes.ts";

const WAIT_S = 20;
const RETRY_MS = 500;
/** After a change, a short rest lets a batch's changes arrive together. */
const GATHER_MS = 500;

/** Keeps the index of rollouts up with the runner's feed until `signal`. */
export async function followTrials(ctx: Context, signal: AbortSignal): Promise<void> {
  // What was indexed and not computed: before this start, or before a database that went away in between.
  let incomplete = true;
  while (!signal.aborted) {
    try {
      if (incomplete)
        incomplete = await completeUpdates(ctx)
          .then(() => completeGroupSeries(ctx))
          .then(
            () => false,
            (error: unknown) => {
              // The index goes on without: an ingest that is gone must not hold it up.
              ctx.log.warn({ err: error }, "computed series wait");
              return true;
            },
          );
      const { rows } = await ctx.pool.query<{ trials_cursor: string }>(
        "SELECT trials_cursor FROM ingest_state WHERE id = 1",
      );
      const after = Number(rows[0]?.trials_cursor ?? 0);
      const feed = await ctx.runner.trials(after, WAIT_S, signal);
      // A runner that lost its journal counts from the start again: the index follows it.
      const restarted = feed.cursor < after;
      if (feed.changes.length === 0 && !restarted) continue;
      await indexTrials(ctx, feed).catch((error: unknown) => {
        incomplete = true;
        throw error;
      });
      await sleep(GATHER_MS, undefined, { signal });
    } catch (error) {
      if (signal.aborted) return;
      ctx.log.debug({ err: error }, "the trial feed waits");
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Writes the newest state of each rollout and the cursor in one transaction, then completes the computed series. */
export async function indexTrials(
  ctx: Pick<Context, "pool" | "live" | "ingest" | "log" | "config">,
  feed: TrialFeed,
): Promise<void> {
  const newest = new Map(feed.changes.map((change) => [change.rolloutId, change]));
  const steps = new Map<string, { runId: string; step: number }>();
  const touch = (runId: string, step: number) => steps.set(`${runId}\n${step}`, { runId, step });
  await inTransaction(ctx.pool, async (client) => {
    if (newest.size > 0) {
      await lockTakes(client);
      const ahead = await askAhead(client, [...newest.values()]);
      const rows = [...newest.values()].map((change) => rowOf(change, ahead));
      const written = await client.query<Written>(UPSERT, [JSON.stringify(rows)]);
      for (const { run_id, mode, step } of written.rows)
        if (run_id !== null && mode === "train" && step !== null) touch(run_id, step);
    }
    const unplaced = [...newest.values()].filter(({ rolloutId }) => placeIn(rolloutId) === null);
    if (unplaced.length > 0) {
      const groups = unplaced.map(({ groupId, rolloutId }) => groupId ?? rolloutId);
      const touched = [unplaced.map(({ runId }) => runId), groups];
      await client.query(NUMBER, touched);
      const claimed = await client.query<{ run_id: string; step: number }>(JOIN_SIBLINGS, touched);
      for (const row of claimed.rows) touch(row.run_id, row.step);
    }
    await client.query("UPDATE ingest_state SET trials_cursor = $1 WHERE id = 1", [feed.cursor]);
  });
  for (const { runId, step } of steps.values()) {
    await computeGroupSeries(ctx, runId, step);
    await completeStepBefore(ctx, runId, step);
  }
  for (const evaluation of evaluationsOf(newest.values()))
    await computeEvaluationSeries(ctx, evaluation);
  for (const runId of new Set([...newest.values()].flatMap((change) => change.runId ?? [])))
    ctx.live.emit("run", runId);
}

/** Evaluations that the changes belong to, once each. */
function evaluationsOf(changes: Iterable<TrialChange>): { runId: string; step: number }[] {
  const found = new Map<string, { runId: string; step: number }>();
  for (const change of changes) {
    const { runId, mode } = change;
    const step = stepOf(change);
    if (runId !== null && mode === "eval" && step !== null)
      found.set(`${runId}\n${step}`, { runId, step });
  }
  return [...found.values()];
}

const UPSERT = `
  INSERT INTO rollout (rollout_id, session_id, run_id, group_id, index, task_id, task_name, mode, step, asked_step, attempt, status, reward,
    termination, error, turns, tokens_sampled, tokens_total, version_min, version_max, truncated, kept_segments, untrained, routing_coverage, integrity_kinds, timings, queued_at, started_at, ended_at, directory, cursor)
  SELECT rollout_id, session_id, run_id, group_id, index, task_id, task_name, mode,
    COALESCE(step, (SELECT taken.step FROM taken_rollout AS taken WHERE taken.rollout_id = changed.rollout_id AND NOT taken.lost)),
    asked_step, attempt, status, reward,
    termination, error, turns, tokens_sampled, tokens_total, version_min, version_max, truncated, kept_segments, untrained, routing_coverage, integrity_kinds, timings, queued_at, started_at, ended_at, directory, cursor
  FROM jsonb_populate_recordset(NULL::rollout, $1::jsonb) AS changed
  ON CONFLICT (rollout_id) DO UPDATE SET session_id = EXCLUDED.session_id, run_id = EXCLUDED.run_id, group_id = EXCLUDED.group_id,
    task_id = EXCLUDED.task_id, task_name = EXCLUDED.task_name, mode = EXCLUDED.mode, step = EXCLUDED.step, asked_step = EXCLUDED.asked_step,
    attempt = EXCLUDED.attempt, status = EXCLUDED.status, reward = EXCLUDED.reward, termination = EXCLUDED.termination,
    error = EXCLUDED.error, turns = EXCLUDED.turns, tokens_sampled = EXCLUDED.tokens_sampled, tokens_total = EXCLUDED.tokens_total,
    version_min = EXCLUDED.version_min, version_max = EXCLUDED.version_max, truncated = EXCLUDED.truncated, kept_segments = EXCLUDED.kept_segments,
    untrained = EXCLUDED.untrained, routing_coverage = EXCLUDED.routing_coverage, integrity_kinds = EXCLUDED.integrity_kinds, timings = EXCLUDED.timings,
    queued_at = EXCLUDED.queued_at, started_at = EXCLUDED.started_at, ended_at = EXCLUDED.ended_at, directory = EXCLUDED.directory,
    cursor = EXCLUDED.cursor
  RETURNING run_id, mode, step`;

/** Runs among those of the changes whose rollouts have no step before an update took them. */
async function askAhead(
  client: PoolClient,
  changes: readonly TrialChange[],
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM run WHERE id = ANY($1::text[]) AND ${ASKS_AHEAD}`,
    [[...new Set(changes.flatMap(({ runId }) => runId ?? []))]],
  );
  return new Set(rows.map(({ id }) => id));
}

interface Written {
  run_id: string | null;
  mode: string;
  step: number | null;
}

/** Members of a group whose ids tell no place stand in the order in which they came. */
const NUMBER = `
  UPDATE rollout SET index = place FROM (
    SELECT rollout_id AS id, row_number() OVER (PARTITION BY run_id, group_id ORDER BY queued_at, rollout_id) - 1 AS place
    FROM rollout JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS one(run, grp)) AS groups
      ON run_id IS NOT DISTINCT FROM run AND group_id = grp
  ) AS placed WHERE rollout_id = id AND index <> place`;

/** A rollout that failed before it sampled is of its siblings' step. */
const JOIN_SIBLINGS = `
  UPDATE rollout SET step = known, asked_step = COALESCE(asked_step, known) FROM (
    SELECT run, grp, min(step) AS known
    FROM rollout JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS one(run, grp)) AS groups
      ON run_id = run AND group_id = grp
    WHERE mode = 'train' AND step IS NOT NULL GROUP BY run, grp
  ) AS siblings WHERE run_id = run AND group_id = grp AND mode = 'train' AND step IS NULL AND status = 'failed'
  RETURNING run_id, step`;

/** The place in its group that a rollout's id tells: `.r3`, of an evaluation `.t3`. Pure. */
function placeIn(rolloutId: string): number | null {
  const told = /\.[rt](\d+)$/.exec(rolloutId)?.[1];
  return told === undefined ? null : Number(told);
}

/**
 * Trainers of verl's older kinds name no step when they ask: it is the first update that the rollout's weights lead to,
 * once they are known. Evaluations stand at the version that they measure.
 */
export function stepOf({ step, mode, versionSpan }: TrialChange): number | null {
  if (step !== null || versionSpan === null) return step;
  return versionSpan[0] + (mode === "train" ? 1 : 0);
}

function rowOf(change: TrialChange, ahead: ReadonlySet<string>) {
  const { runId, mode } = change;
  const asked = stepOf(change);
  return {
    rollout_id: change.rolloutId,
    session_id: change.sessionId,
    run_id: change.runId,
    // A session of an outside agent has no siblings: it is a group of its own.
    group_id: change.groupId ?? change.rolloutId,
    index: placeIn(change.rolloutId) ?? 0,
    task_id: change.taskId,
    task_name: change.taskName,
    mode: change.mode,
    step: runId !== null && mode === "train" && ahead.has(runId) ? null : asked,
    asked_step: asked,
    attempt: change.attempt,
    status: change.status,
    reward: change.reward,
    termination: change.termination,
    error: change.error,
    turns: change.turns,
    tokens_sampled: change.tokensSampled,
    tokens_total: change.tokensTotal,
    version_min: change.versionSpan?.[0] ?? null,
    version_max: change.versionSpan?.[1] ?? null,
    truncated: change.truncated,
    kept_segments: change.keptSegments,
    untrained: change.untrained,
    routing_coverage: change.routingCoverage,
    integrity_kinds: [...new Set(change.flags.map(({ kind }) => kind))],
    timings: change.timings,
    queued_at: change.queuedAt,
    started_at: change.startedAt,
    ended_at: change.endedAt,
    directory: change.directory,
    cursor: change.cursor,
  };
}
