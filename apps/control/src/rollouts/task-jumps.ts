import { COMPUTED_KEYS } from "@liverl/contract/metric";
import type { Context } from "#context.ts";

/** Steps that are looked back over: what was unsolved long ago may well have been learned. */
const LOOK_BACK = 50;
/** With fewer tasks that came again, one of them is the whole share. */
const LEAST = 3;

const TASKS = `
  WITH now AS (
    SELECT task_id, min(reward) AS least FROM rollout
    WHERE run_id = $1 AND mode = 'train' AND step = $2 AND reward IS NOT NULL GROUP BY task_id
  ), earlier AS (
    SELECT DISTINCT ON (task_id) task_id, max(reward) AS most FROM rollout
    WHERE run_id = $1 AND mode = 'train' AND step BETWEEN $2 - ${LOOK_BACK} AND $2 - 1 AND reward IS NOT NULL
      AND task_id IN (SELECT task_id FROM now)
    GROUP BY task_id, step ORDER BY task_id, step DESC
  )
  SELECT count(*)::int AS unsolved, (count(*) FILTER (WHERE least >= 1))::int AS jumped
  FROM now JOIN earlier USING (task_id) WHERE most < 1`;

/** Of a step's tasks that no rollout solved when they came last: how many every rollout solves now. */
export async function taskJumps(
  { pool }: Pick<Context, "pool">,
  runId: string,
  step: number,
): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ unsolved: number; jumped: number }>(TASKS, [runId, step]);
  const [{ unsolved, jumped } = { unsolved: 0, jumped: 0 }] = rows;
  return unsolved < LEAST ? {} : { [COMPUTED_KEYS.taskJumps]: jumped / unsolved };
}
