import type { RolloutFieldName } from "@liverl/contract/filter/filter-fields";
import type { FilterColumn } from "#filters/compile-filter.ts";

/** Where the filter's fields stand. `run` is the place of the run's id: names are looked up among its own. */
export function rolloutColumns(run: string): Record<RolloutFieldName, FilterColumn> {
  return {
    reward: { kind: "number", sql: "reward" },
    reason: { kind: "text", sql: "termination" },
    step: { kind: "integer", sql: "step", falling: "(-COALESCE(step, asked_step, -1))" },
    asked: { kind: "integer", sql: "asked_step" },
    task: { kind: "text", sql: "task_name", valuesLike: (like) => taskNames(run, like) },
    tag: { kind: "list", sql: "tags" },
    flag: { kind: "list", sql: "integrity_kinds" },
    status: { kind: "text", sql: "status" },
    mode: { kind: "text", sql: "mode" },
    error: {
      kind: "text",
      sql: "(error ->> 'exception_type')",
      valuesLike: (like) => errorNames(run, like),
    },
    stage: { kind: "text", sql: liveColumn("stage") },
    idle: {
      kind: "number",
      sql: `EXTRACT(EPOCH FROM now() - ${liveColumn("last_sign_at")})::float8`,
      order: `-EXTRACT(EPOCH FROM ${liveColumn("last_sign_at")})`,
    },
    age: {
      kind: "number",
      sql: `CASE WHEN ${IS_LIVE} THEN EXTRACT(EPOCH FROM now() - ${BEGAN})::float8 END`,
      order: `CASE WHEN ${IS_LIVE} THEN -EXTRACT(EPOCH FROM ${BEGAN}) END`,
    },
    turns: { kind: "integer", sql: "turns" },
    tokens: { kind: "integer", sql: "tokens_total" },
    sampled: { kind: "integer", sql: "tokens_sampled" },
    wall: { kind: "number", sql: "EXTRACT(EPOCH FROM ended_at - started_at)::float8" },
    version: { kind: "integer", sql: "version_max" },
    truncated: { kind: "text", sql: "truncated::text" },
    note: { kind: "text", sql: "note" },
    taskid: { kind: "text", sql: "task_id" },
    group: { kind: "text", sql: "group_id" },
    id: { kind: "text", sql: "rollout_id" },
    attempt: { kind: "integer", sql: "attempt" },
  };
}

const IS_LIVE = "status IN ('queued', 'running')";
const BEGAN = "COALESCE(started_at, queued_at)";

/** Of one that has ended since it was looked at nothing is told. */
const liveColumn = (name: string) =>
  `(CASE WHEN ${IS_LIVE} THEN (SELECT live.${name} FROM rollout_live live WHERE live.rollout_id = rollout.rollout_id) END)`;

/** The run's task names that are like a pattern. */
export function taskNames(run: string, like: string): string {
  return namesLike("task_name", `run_id = ${run}`, like);
}

/** The same of error classes. */
export function errorNames(run: string, like: string): string {
  return namesLike("(error ->> 'exception_type')", `run_id = ${run} AND error IS NOT NULL`, like);
}

/** Name by name along the index of `sql`: a run has far fewer names than rollouts. */
function namesLike(sql: string, where: string, like: string): string {
  const next = (after: string) =>
    `(SELECT ${sql} AS name FROM rollout WHERE ${where}${after} ORDER BY ${sql} LIMIT 1)`;
  return `WITH RECURSIVE names AS (
      ${next("")} UNION ALL SELECT ${next(` AND ${sql} > names.name`)} FROM names WHERE names.name IS NOT NULL
    ) SELECT name FROM names WHERE name ILIKE ${like}::text`;
}
