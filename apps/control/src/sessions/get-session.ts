import { SessionOutline } from "@liverl/contract/session-view";
import type { Context } from "#context.ts";

/** A session's tree and calls without their tokens, live or finished. */
export async function getSession(
  ctx: Pick<Context, "runner">,
  { sessionId }: { sessionId: string },
): Promise<SessionOutline> {
  return SessionOutline.parse(await ctx.runner.inspectSession(sessionId, "outline"));
}
