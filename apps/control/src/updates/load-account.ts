import type { Pool } from "pg";
import { Account, type Life, type Member, type Take } from "#updates/account.ts";
import { trainingRules } from "#updates/training-rules.ts";

/** The account of some groups of a run; `members` are all rollouts of each. */
export async function loadAccount(
  { pool }: { pool: Pool },
  run: { id: string; spec: unknown; status: string } | null,
  members: readonly Member[],
): Promise<Account> {
  const rules = trainingRules(run);
  const known = { rules, members };
  if (run === null || !rules.tells)
    return new Account({ ...known, takes: new Map(), lives: [], hasRecords: false });
  const { rows } = await pool.query<Take & { id: string }>(
    "SELECT rollout_id AS id, step, lost FROM taken_rollout WHERE run_id = $1 AND rollout_id = ANY($2::text[])",
    [run.id, members.map(({ rolloutId }) => rolloutId)],
  );
  const takes = new Map(rows.map(({ id, step, lost }) => [id, { step, lost }]));
  const lives = (await pool.query<Life>(LIVES, [run.id])).rows;
  const hasRecords = takes.size > 0 || lives.some(({ version }) => version !== null);
  return new Account({ ...known, takes, lives, hasRecords });
}

/** The newest of each life is the last along the index, without a look at the others. */
const LIVES = `
  SELECT since, taken.version, taken.step FROM
    (SELECT attempt, min(started_at) AS since FROM boot_phase WHERE run_id = $1 GROUP BY attempt) AS life
    LEFT JOIN LATERAL (
      SELECT version, step FROM taken_rollout WHERE run_id = $1 AND attempt = life.attempt
      ORDER BY version DESC LIMIT 1) AS taken ON true
  ORDER BY life.attempt`;
