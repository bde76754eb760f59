import {
  COMPUTED_KEYS,
  evaluationKey,
  METRIC_ALIASES,
  OTHER_WEIGHTS,
  STALE_SAMPLES,
} from "@liverl/contract/metric";
import { THRESHOLDS } from "@liverl/contract/threshold";
import {
  CANONICAL_KEYS,
  type CanonicalMetric,
  MUST_BE_FINITE,
  REWARD_PATTERN,
  VERL_KEY_NAMES,
} from "@liverl/contract/trainer-names";
import type { Pool } from "pg";
import { emptyPoints, type Points, slotOf } from "#metrics/chunk-points.ts";
import { type ChunkRow, pointsOfRow } from "#metrics/chunk-rows.ts";
import { queryArrays } from "#metrics/query-arrays.ts";

/** What an update minimises, and the norm of its gradient. */
export const LOSS_KEYS = [
  ...["actor/loss", "actor/pg_loss", "actor/kl_loss", "critic/vf_loss"],
  ...["actor/grad_norm", "critic/grad_norm"],
] as const;

/** Keys that summaries and verdicts look at. */
const SIGNAL_KEYS = [
  ...Object.values(METRIC_ALIASES).flat(),
  ...Object.values(COMPUTED_KEYS),
  ...Object.values(THRESHOLDS).map(({ metric }) => metric),
  STALE_SAMPLES,
  OTHER_WEIGHTS,
  "actor/grad_norm",
  ...LOSS_KEYS,
  "timing_s/step",
  "perf/time_per_step",
  ...Object.values(VERL_KEY_NAMES).flat(),
];

/** Families whose members a run names: evaluations by data source, errors and signs by kind. */
const SIGNAL_FAMILIES = [
  "val-core/%",
  "val-aux/%/num_tasks",
  "rollout/error/%",
  "rollout/integrity/%",
  "rollout/slowest/%",
  ...["train/%effective/%/reward/mean", "eval/%", "eval-rollout/reward", "eval\\_reward"],
  ...["validation/accuracy", "val/score/mean", "val\\_correct/all/mean"],
];

/** Chunks of each series that a verdict is taken from. */
export const NEWEST_CHUNKS = 2;
/** No slot is lower. */
const LOWEST_SLOT = -(2 ** 31);

/** Key → the newest points, up to two chunks of them, of a run's signals. */
export type Signals = ReadonlyMap<string, Points>;

export interface RunSignals {
  signals: Signals;
  lastStep: number | null;
  lastWallMs: number | null;
  metrics: number;
  /** When the trainer's present attempt went on from a checkpoint; null for one that never did. */
  attemptSinceMs: number | null;
  /** The step of that checkpoint. */
  attemptFromStep: number | null;
  /** Deaths of the trainer, oldest first. */
  crashes: readonly Crash[];
  /** Key under which a signal is judged → key under which the run logs it, where they differ. */
  names: ReadonlyMap<string, string>;
}

export interface Crash {
  atMs: number;
  /** The newest step that was logged by then; null where it is not known. */
  step: number | null;
}

/** Of a run that has logged nothing. */
export const NO_SIGNALS: RunSignals = {
  signals: new Map(),
  lastStep: null,
  lastWallMs: null,
  metrics: 0,
  attemptSinceMs: null,
  attemptFromStep: null,
  crashes: [],
  names: new Map(),
};

/** Signals of several runs in one query each. `more` are keys beyond those that verdicts look at; `fromStep` asks for all since then. */
export async function loadSignals(
  pool: Pool,
  runIds: readonly string[],
  { more = [], fromStep = null }: { more?: readonly string[]; fromStep?: number | null } = {},
): Promise<Map<string, RunSignals>> {
  const byRun = new Map<string, RunSignals & { runId: string; signals: Map<string, Points> }>();
  const mapped = await loadChosenNames(pool, runIds);
  const chosen = [...mapped.values()].flatMap((names) => [...names.values()]);
  const ends = await pool.query<{
    run_id: string;
    last_step: number;
    last_wall: number;
    metrics: number;
  }>(
    `SELECT run_id, COALESCE(max(last_step) FILTER (WHERE key NOT LIKE 'system.%'), max(last_step)) AS last_step, max(last_wall) AS last_wall, count(*)::int AS metrics
     FROM series WHERE run_id = ANY($1::text[]) GROUP BY run_id`,
    [runIds],
  );
  const events = await pool.query<{ run_id: string; kind: string; at: Date; step: number | null }>(
    `SELECT run_id, kind, at, step FROM run_event
     WHERE run_id = ANY($1::text[]) AND isfinite(at) AND ((kind = 'resume' AND actor <> 'ingest') OR (kind = 'crash' AND source_key LIKE 'crash:%'))
     ORDER BY at, id`,
    [runIds],
  );
  for (const row of ends.rows) {
    const own = events.rows.filter(({ run_id }) => run_id === row.run_id);
    const resumed = own.findLast(({ kind }) => kind === "resume");
    byRun.set(row.run_id, {
      runId: row.run_id,
      signals: new Map(),
      lastStep: row.last_step,
      lastWallMs: row.last_wall,
      metrics: row.metrics,
      attemptSinceMs: resumed?.at.getTime() ?? null,
      attemptFromStep: resumed?.step ?? null,
      crashes: own
        .filter(({ kind }) => kind === "crash")
        .map(({ at, step }) => ({ atMs: at.getTime(), step })),
      names: new Map(),
    });
  }
  const { rows } = await queryArrays<ChunkRow & { run_id: string; key: string }>(
    pool,
    `SELECT s.run_id, s.key, c.steps, c.values, c.flags, c.wall_ms, c.seqs
     FROM series s JOIN LATERAL (SELECT * FROM chunk c WHERE c.series_id = s.id AND c.slot >= $5 ORDER BY c.slot DESC LIMIT $4) c ON true
     WHERE s.run_id = ANY($1::text[]) AND (s.key = ANY($2::text[]) OR s.key LIKE ANY($3::text[])
       OR (s.key ~ $6 AND c.flags && '{1,2,3}'::int2[]))
     ORDER BY s.id, c.slot`,
    [
      runIds,
      [...SIGNAL_KEYS, ...chosen, ...more],
      SIGNAL_FAMILIES,
      fromStep === null ? NEWEST_CHUNKS : null,
      fromStep === null ? LOWEST_SLOT : slotOf(fromStep),
      MUST_BE_FINITE,
    ],
  );
  for (const row of rows) {
    const signals = byRun.get(row.run_id)?.signals;
    if (!signals) continue;
    const before = signals.get(row.key);
    const points = pointsOfRow(row);
    signals.set(row.key, before ? concatenate(before, points) : points);
  }
  for (const known of byRun.values())
    known.names = addVerlKeys(known.signals, mapped.get(known.runId));
  return byRun;
}

/**
 * Signals of other trainers under verl's keys, which are those that are judged; first those that people of the project chose.
 * Returns what the run logs them under.
 */
function addVerlKeys(
  signals: Map<string, Points>,
  chosen: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const names = new Map<string, string>();
  for (const [canonical, key] of chosen) {
    const points = signals.get(key);
    const verlKey = CANONICAL_KEYS[canonical as CanonicalMetric];
    if (!points || verlKey === undefined || verlKey === key) continue;
    signals.set(verlKey, points);
    names.set(verlKey, key);
  }
  const reward = [...signals.keys()].filter((key) => REWARD_PATTERN.test(key)).sort()[0];
  const hasReward = METRIC_ALIASES["reward/mean"].some((key) => signals.has(key));
  if (!hasReward && reward !== undefined) {
    signals.set(CANONICAL_KEYS.reward, signals.get(reward) ?? emptyPoints());
    names.set(CANONICAL_KEYS.reward, reward);
  }
  for (const [key, others] of Object.entries(VERL_KEY_NAMES)) {
    const name = others.find((one) => signals.has(one));
    const points = name === undefined ? undefined : signals.get(name);
    if (signals.has(key) || name === undefined || !points) continue;
    signals.set(key, points);
    names.set(key, name);
  }
  return names;
}

/** Run → canonical metric → key that people of its project chose for it. */
async function loadChosenNames(
  pool: Pool,
  runIds: readonly string[],
): Promise<Map<string, Map<string, string>>> {
  const { rows } = await pool.query<{ run_id: string; metric: string; key: string }>(
    `SELECT run.id AS run_id, name.metric, name.key FROM run JOIN metric_name name ON name.project = run.project
     WHERE run.id = ANY($1::text[])`,
    [runIds],
  );
  const chosen = new Map<string, Map<string, string>>();
  for (const { run_id, metric, key } of rows)
    chosen.set(run_id, (chosen.get(run_id) ?? new Map<string, string>()).set(metric, key));
  return chosen;
}

function concatenate(a: Points, b: Points): Points {
  return {
    step: [...a.step, ...b.step],
    value: [...a.value, ...b.value],
    flag: [...a.flag, ...b.flag],
    wallMs: [...a.wallMs, ...b.wallMs],
    seq: [...a.seq, ...b.seq],
  };
}

/** The first of a canonical key's sources that the run logs. */
export function findSignal(
  signals: Signals,
  canonical: keyof typeof METRIC_ALIASES,
): { key: string; points: Points } | null {
  for (const key of METRIC_ALIASES[canonical]) {
    const points = signals.get(key);
    if (points && points.step.length > 0) return { key, points };
  }
  return null;
}

/** In-run evaluation score: verl logs it per data source under `val-core/`. */
export function findEvaluation(signals: Signals): { key: string; points: Points } | null {
  const key = evaluationKey(signals.keys());
  const points = key === null ? undefined : signals.get(key);
  return key !== null && points ? { key, points } : null;
}

export function lastValue(points: Points | undefined): number | null {
  return points?.value.at(-1) ?? null;
}

/** Finite values, oldest first. */
export function finiteValues(points: Points | undefined): number[] {
  return points?.value.filter((value) => value !== null) ?? [];
}
