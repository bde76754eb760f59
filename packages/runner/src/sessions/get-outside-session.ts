import { AppError } from "@liverl/contract/app-error";
import type { OutsideSessionView } from "@liverl/contract/session-view";
import type { RunnerContext } from "#context.ts";
import { listOutsideSessions } from "#sessions/list-outside-sessions.ts";
import { readEnded } from "#sessions/read-ended.ts";
import { sessionFolder } from "#sessions/session-folder.ts";

/** An outside agent's session, open or over; how it ended as soon as its file is there. */
export async function getOutsideSession(
  ctx: RunnerContext,
  sessionId: string,
): Promise<OutsideSessionView> {
  const { sessions } = await listOutsideSessions(ctx);
  const row = sessions.find((session) => session.sessionId === sessionId);
  if (!row) throw new AppError("NOT_FOUND", { userMessage: `There is no session ${sessionId}.` });
  const folder = row.state === "open" ? null : sessionFolder(ctx, sessionId);
  return { ...row, ...(folder && (await readEnded(folder))) };
}
