import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { readJson } from "@liverl/durable/atomic-file";
import { inspectSession } from "@liverl/proxy/trajectory/inspect-session";
import { REQUESTS_FILE, readRequests } from "@liverl/proxy/trajectory/requests-file";
import type { RunnerContext } from "#context.ts";
import { linkOfSession } from "#sessions/link-of-session.ts";
import { sessionFolder } from "#sessions/session-folder.ts";
import { TRAJECTORY_FILE } from "#trials/trial-directory.ts";

const PATIENCE_MS = 2_000;

/** What `aspect` asks of a session: from its files when it is over, else from the proxy, which knows all that are open. */
export async function inspectAnySession(
  ctx: RunnerContext,
  sessionId: string,
  aspect: string,
): Promise<unknown> {
  const folder = sessionFolder(ctx, sessionId);
  const trajectory = folder && (await readJson(join(folder, TRAJECTORY_FILE), ProxyTrajectory));
  if (trajectory) {
    const isCall = aspect.startsWith("calls/");
    const bodies = isCall ? await readRequests(join(folder, REQUESTS_FILE)) : null;
    const bodyOf = (callId: number) => bodies?.get(callId) ?? null;
    return inspectSession({ trajectory, live: false, bodyOf }, aspect);
  }
  const live = await linkOfSession(ctx, sessionId).inspectSession(sessionId, aspect, {
    patienceMs: PATIENCE_MS,
  });
  if (live !== null) return live;
  throw new AppError("NOT_FOUND", {
    userMessage: `There is nothing of session ${sessionId}: it has not begun, or its files were deleted${folder === null ? "" : ` from ${folder}`}.`,
  });
}
