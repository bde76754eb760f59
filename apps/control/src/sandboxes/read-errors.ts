import type { SandboxError } from "@liverl/contract/sandbox";
import type { PrismaClient } from "@liverl/prisma/client";

export const ERROR_HOURS = 24;

interface Row {
  type: string;
  /** Hours ago, 0 is the running one. */
  ago: number;
  count: number;
  at: Date;
  message: string;
  rolloutId: string;
  runId: string | null;
  project: string | null;
}

/** Errors that ended rollouts in the last {@link ERROR_HOURS} hours, by type and hour, with the newest of each type. */
export async function readErrors({ db }: { db: PrismaClient }): Promise<SandboxError[]> {
  const rows = await db.$queryRaw<Row[]>`
    WITH failed AS (
      SELECT error ->> 'exception_type' AS type,
        least(floor(extract(epoch FROM now() - ended_at) / 3600)::int, ${ERROR_HOURS - 1}) AS ago,
        ended_at AS at, coalesce(error ->> 'exception_message', '') AS message, rollout_id, run_id
      FROM rollout
      WHERE error ->> 'exception_type' IS NOT NULL AND ended_at > now() - make_interval(hours => ${ERROR_HOURS})
    ), newest AS (
      SELECT DISTINCT ON (type, ago) type, ago, at, left(message, 2000) AS message, rollout_id, run_id
      FROM failed ORDER BY type, ago, at DESC
    )
    SELECT newest.type, newest.ago, counted.count, newest.at, newest.message,
      newest.rollout_id AS "rolloutId", newest.run_id AS "runId", run.project
    FROM newest
    JOIN (SELECT type, ago, count(*)::int AS count FROM failed GROUP BY type, ago) counted USING (type, ago)
    LEFT JOIN run ON run.id = newest.run_id
    ORDER BY newest.type, newest.ago`;
  return prepareErrors(rows);
}

/** One row a type, the most frequent first. Pure. */
export function prepareErrors(rows: readonly Row[]): SandboxError[] {
  return [...new Set(rows.map(({ type }) => type))]
    .flatMap((type) => {
      const hours = rows.filter((row) => row.type === type);
      const newest = hours.reduce((one, other) => (other.ago < one.ago ? other : one));
      const hourly = new Array<number>(ERROR_HOURS).fill(0);
      for (const { ago, count } of hours) hourly[ERROR_HOURS - 1 - Math.max(0, ago)] = count;
      const { at, message, rolloutId, runId, project } = newest;
      const run = runId !== null && project !== null ? { id: runId, project } : null;
      const count = hours.reduce((sum, hour) => sum + hour.count, 0);
      return { type, count, hourly, last: { at: at.toISOString(), message, rolloutId, run } };
    })
    .sort((a, b) => b.count - a.count || a.type.localeCompare(b.type));
}
