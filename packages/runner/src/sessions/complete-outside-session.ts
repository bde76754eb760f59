import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AppError } from "@liverl/contract/app-error";
import type { EndedSession, EndOutsideSession } from "@liverl/contract/proxy-admin";
import { SessionOutcome } from "@liverl/contract/session-view";
import type { OutsideSession, RunnerContext } from "#context.ts";
import { readEnded } from "#sessions/read-ended.ts";

/** Freezes the session. The first one counts: a repeat answers the same, and CONFLICT where it says another end. */
export async function completeOutsideSession(
  ctx: RunnerContext,
  sessionId: string,
  asked: EndOutsideSession,
): Promise<EndedSession> {
  const session = ctx.outsideSessions.get(sessionId);
  if (!session)
    throw new AppError("NOT_FOUND", { userMessage: `There is no session ${sessionId}.` });
  const path = session.path ?? (await freeze(ctx, sessionId, session, asked));
  // From its file, not from what was asked: the session may have ended before, by its time or by another request.
  const ended = await readEnded(dirname(path));
  if (!ended)
    throw new AppError("NOT_FOUND", {
      userMessage: `Session ${sessionId} is complete, and its file is gone from ${path}.`,
    });
  const differing = (["reward", "termination"] as const).filter(
    (key) => asked[key] !== undefined && !isDeepStrictEqual(asked[key], ended[key]),
  );
  if (differing.length === 0) return ended;
  const standing = differing.map((key) => `${key} ${JSON.stringify(ended[key])}`).join(", ");
  throw new AppError("CONFLICT", {
    userMessage: `Session ${sessionId} was complete already, with ${standing}: the first end counts, and this one changed nothing.`,
  });
}

async function freeze(
  ctx: RunnerContext,
  sessionId: string,
  session: OutsideSession,
  { reward = null, termination = "agent-finished" }: EndOutsideSession,
): Promise<string> {
  const { path } = await ctx.proxy.completeSession(sessionId, { reward, termination });
  const ended = await readEnded(dirname(path));
  const outcome = ended && SessionOutcome.parse(ended);
  // Another request may have ended it meanwhile.
  if (session.path !== null) return session.path;
  const completedAt = new Date().toISOString();
  await ctx.journal.append({
    ...{ kind: "session-completed", sessionId, path, outcome },
    at: completedAt,
  });
  Object.assign(session, { path, outcome, completedAt });
  return path;
}
