import type { RolloutMode } from "@liverl/contract/rollout";
import type { Context } from "#context.ts";
import { answerOf } from "#trajectories/answer-of.ts";
import {
  type Contradictions,
  compareAnswers,
  type JudgedAnswer,
} from "#trajectories/compare-answers.ts";

/** Steps that are looked back over: tests that changed long ago are the tests that there are. */
const LOOK_BACK = 50;
/** Answers of a step, and of each of its tasks before it, that are read: the series is a sample where a step has more. */
const READ_NOW = 512;
const READ_BEFORE = 8;

const REPEATED = `
  WITH now AS (
    SELECT rollout_id, task_id, reward, directory FROM rollout
    WHERE run_id = $1 AND mode = $2 AND step = $3 AND reward IS NOT NULL AND directory IS NOT NULL
    ORDER BY rollout_id LIMIT ${READ_NOW}
  ), earlier AS (
    SELECT rollout_id, task_id, reward, directory, row_number() OVER (PARTITION BY task_id ORDER BY step, rollout_id) AS place FROM rollout
    WHERE run_id = $1 AND mode = $2 AND step BETWEEN $3 - ${LOOK_BACK} AND $3 - 1 AND reward IS NOT NULL AND directory IS NOT NULL
      AND task_id IN (SELECT task_id FROM now)
  )
  SELECT rollout_id, task_id, reward, directory, false AS is_earlier FROM now WHERE task_id IN (SELECT task_id FROM earlier)
  UNION ALL SELECT rollout_id, task_id, reward, directory, true FROM earlier WHERE place <= ${READ_BEFORE}
  ORDER BY rollout_id`;

interface Row {
  rollout_id: string;
  task_id: string;
  reward: number;
  directory: string;
  is_earlier: boolean;
}

/** Whether the verifier still judges a step's answers as it judged them before. */
export async function findContradictions(
  ctx: Pick<Context, "pool" | "config">,
  { runId, step, mode }: { runId: string; step: number; mode: RolloutMode },
): Promise<Contradictions> {
  const { rows } = await ctx.pool.query<Row>(REPEATED, [runId, mode, step]);
  const now: JudgedAnswer[] = [];
  const before: JudgedAnswer[] = [];
  for (const { rollout_id, task_id, reward, directory, is_earlier } of rows) {
    const answer = await answerOf(ctx, directory);
    if (answer === null) continue;
    const judged = { rolloutId: rollout_id, taskId: task_id, answer, reward };
    (is_earlier ? before : now).push(judged);
  }
  return compareAnswers(now, before);
}
