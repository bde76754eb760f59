import type { RolloutMode } from "@liverl/contract/rollout";
import type { ProjectTask, ProjectTasks } from "@liverl/contract/task-view";
import type { Context } from "#context.ts";
import { countTasks } from "#tasks/read-tasks.ts";

/** A page draws no more; a project of more tasks shows those that were tried most often. */
const MOST_TASKS = 5_000;

/** Every task that runs of a project tried, with what it came to over all of them; most often tried first. */
export async function readProjectTasks(
  { pool }: Pick<Context, "pool">,
  { project, mode }: { project: string; mode: RolloutMode },
): Promise<ProjectTasks> {
  const from = `FROM rollout WHERE run_id IN (SELECT id FROM run WHERE project = $1)
       AND mode = $2 AND status IN ('succeeded', 'failed')`;
  const { rows } = await pool.query<ProjectTask & { total: number }>(
    `SELECT task_name AS task, count(DISTINCT run_id)::int AS runs, count(*)::int AS ended, count(reward)::int AS known,
       count(*) FILTER (WHERE reward >= 1)::int AS solved, avg(reward)::float8 AS mean,
       count(*) FILTER (WHERE integrity_kinds <> '{}')::int AS flagged, count(*) OVER ()::int AS total
     ${from}
     GROUP BY task_name ORDER BY ended DESC, task_name LIMIT ${MOST_TASKS}`,
    [project, mode],
  );
  return {
    rows: rows.map(({ total: _, ...row }) => row),
    total: rows[0]?.total ?? 0,
    tasks: await countTasks({ pool }, from, [project, mode]),
  };
}
