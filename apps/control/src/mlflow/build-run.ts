import type { RunStatus } from "@liverl/contract/run";
import type { Pool } from "pg";
import { FLAG } from "#metrics/metric-flag.ts";

/** A row of MLflow's run, with what our own run knows of it. */
export interface RunRow {
  key: string;
  run_id: string;
  experiment_id: number;
  name: string;
  user_id: string;
  tags: Record<string, string>;
  started_ms: number;
  ended_ms: number | null;
  status: RunStatus;
  config: Record<string, string> | null;
  project: string;
  begunBy: string | null;
}

const STATUS = {
  draft: "SCHEDULED",
  queued: "SCHEDULED",
  booting: "SCHEDULED",
  running: "RUNNING",
  stopping: "RUNNING",
  succeeded: "FINISHED",
  stopped: "KILLED",
  failed: "FAILED",
  cancelled: "KILLED",
  ended: "FINISHED",
} as const satisfies Record<RunStatus, string>;

export const RUN_COLUMNS = `t.key, t.run_id, t.experiment_id, t.name, t.user_id, t.tags, t.started_ms, t.ended_ms, r.status, r.config, r.project, r.begun_by AS "begunBy"
  FROM tracked_run t JOIN run r ON r.id = t.run_id`;

export function buildRunInfo(row: RunRow) {
  return {
    run_id: row.key,
    run_uuid: row.key,
    experiment_id: String(row.experiment_id),
    run_name: row.name,
    user_id: row.user_id,
    status: STATUS[row.status],
    start_time: row.started_ms,
    ...(row.ended_ms === null ? {} : { end_time: row.ended_ms }),
    artifact_uri: `mlflow-artifacts:/${row.experiment_id}/${row.key}/artifacts`,
    lifecycle_stage: "active",
  };
}

export function buildRun(row: RunRow, metrics: readonly MlflowMetric[]) {
  return {
    info: buildRunInfo(row),
    data: {
      metrics,
      params: entriesOf(row.config ?? {}),
      tags: entriesOf(row.tags),
    },
    inputs: {},
    outputs: {},
  };
}
export type MlflowRun = ReturnType<typeof buildRun>;

const entriesOf = (map: Record<string, string>) =>
  Object.entries(map).map(([key, value]) => ({ key, value }));

/** Protobuf's JSON has words for what is not finite. */
export interface MlflowMetric {
  key: string;
  value: number | "NaN" | "Infinity" | "-Infinity";
  timestamp: number;
  step: number;
}

export function mlflowValue(value: number | null, flag: number): MlflowMetric["value"] {
  if (value !== null) return value;
  if (flag === FLAG.positiveInfinity) return "Infinity";
  return flag === FLAG.negativeInfinity ? "-Infinity" : "NaN";
}

interface LastRow {
  run_id: string;
  key: string;
  last: number | null;
  last_step: number;
  last_wall: number;
  flag: number | null;
}

/** The newest value of every key of the runs. Which kind of not finite it is, its chunk knows. */
export async function loadLastMetrics(
  pool: Pool,
  runIds: readonly string[],
): Promise<Map<string, MlflowMetric[]>> {
  const { rows } = await pool.query<LastRow>(
    `SELECT s.run_id, s.key, s.last, s.last_step, s.last_wall, c.flags[array_position(c.steps, s.last_step)] AS flag
     FROM series s LEFT JOIN chunk c ON s.last IS NULL AND c.series_id = s.id AND c.slot = floor(s.last_step / 256.0)
     WHERE s.run_id = ANY($1::text[]) ORDER BY s.id`,
    [runIds],
  );
  const byRun = new Map<string, MlflowMetric[]>();
  for (const row of rows) {
    const metrics = byRun.get(row.run_id) ?? [];
    byRun.set(row.run_id, metrics);
    const { key, last_wall: timestamp, last_step: step } = row;
    metrics.push({ key, value: mlflowValue(row.last, row.flag ?? FLAG.nan), timestamp, step });
  }
  return byRun;
}
