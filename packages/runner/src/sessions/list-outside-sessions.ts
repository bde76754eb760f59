import type { OutsideSessionList, OutsideSessionRow } from "@liverl/contract/session-view";
import type { OutsideSession, RunnerContext } from "#context.ts";
import type { OpenProxySession } from "#proxy-process/proxy-link.ts";

const PATIENCE_MS = 2_000;

/** Sessions of outside agents, newest first. One that the proxy ended by its time counts as expired. */
export async function listOutsideSessions(ctx: RunnerContext): Promise<OutsideSessionList> {
  if (ctx.outsideSessions.size === 0) return { sessions: [] };
  const open = await ctx.proxy.listSessions({ patienceMs: PATIENCE_MS });
  const byId = new Map(open.map((session) => [session.sessionId, session]));
  return {
    sessions: [...ctx.outsideSessions]
      .map(([id, session]) => viewSession(id, session, byId.get(id)))
      .reverse(),
  };
}

function viewSession(
  sessionId: string,
  { runId, taskId, openedAt, completedAt, path, outcome }: OutsideSession,
  open: OpenProxySession | undefined,
): OutsideSessionRow {
  return {
    sessionId,
    runId,
    taskId,
    openedAt,
    completedAt,
    state: path !== null ? "complete" : open ? "open" : "expired",
    calls: outcome?.calls ?? open?.calls ?? null,
    inFlight: open?.inFlight ?? 0,
    reward: outcome?.reward ?? null,
    termination: outcome?.termination ?? null,
  };
}
