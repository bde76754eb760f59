import type { SandboxesView } from "@liverl/contract/cluster";
import type { Context } from "#context.ts";

/** Trials in sandboxes as the runner tells, and what lately went wrong. Throws UNAVAILABLE while the runner is away. */
export async function readSandboxes({
  db,
  runner,
}: Pick<Context, "db" | "runner">): Promise<SandboxesView> {
  const [trials, errors] = await Promise.all([
    runner.sandboxTrials(),
    db.$queryRaw<SandboxesView["errors"]>`
      SELECT error ->> 'exception_type' AS type, count(*)::int AS count
      FROM rollout
      WHERE error IS NOT NULL AND error ->> 'exception_type' IS NOT NULL AND ended_at > now() - interval '24 hours'
      GROUP BY 1
      ORDER BY 2 DESC, 1`,
  ]);
  return { trials, errors };
}
