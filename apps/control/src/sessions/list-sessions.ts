import type { SessionRow } from "@liverl/contract/session-view";
import type { Context } from "#context.ts";

/** Sessions that outside agents opened on runs of a project, or of all where none is named; newest first. */
export async function listSessions(
  ctx: Pick<Context, "runner" | "db">,
  { project }: { project?: string | undefined },
): Promise<{ sessions: SessionRow[] }> {
  const { sessions } = await ctx.runner.sessions();
  const runs = await ctx.db.run.findMany({
    where: { id: { in: [...new Set(sessions.map(({ runId }) => runId))] } },
    select: { id: true, name: true, project: true },
  });
  const byId = new Map(runs.map((run) => [run.id, run]));
  return {
    sessions: sessions
      .map((session) => {
        const run = byId.get(session.runId);
        return { ...session, project: run?.project ?? null, runName: run?.name ?? null };
      })
      // One whose run was deleted belongs to no project: it is shown in each.
      .filter((session) => project === undefined || (session.project ?? project) === project),
  };
}
