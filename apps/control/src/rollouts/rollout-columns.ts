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

/** The run's task names that are like a pattern, name by name along the index: a run has far fewer tasks than rollouts. */
export function taskNames(run: string, like: string): string {
  return `WITH RECURSIVE names AS (
      (SELECT task_name AS name FROM rollout WHERE run_id = ${run} ORDER BY task_name LIMIT 1)
      UNION ALL
      SELECT (SELECT task_name FROM rollout WHERE run_id = ${run} AND task_name > names.name ORDER BY task_name LIMIT 1)
      FROM names WHERE names.name IS NOT NULL
    ) SELECT name FROM names WHERE name ILIKE ${like}::text`;
}

/** The same of error classes. */
export function errorNames(run: string, like: string): string {
  return `SELECT DISTINCT error ->> 'exception_type' AS name FROM rollout
    WHERE run_id = ${run} AND error IS NOT NULL AND error ->> 'exception_type' ILIKE ${like}::text`;
}
