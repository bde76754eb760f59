import { CallDetail } from "@liverl/contract/session-view";
import type { Context } from "#context.ts";

/** One call with what its client sent and got. */
export async function getExchange(
  ctx: Pick<Context, "runner">,
  { sessionId, callId }: { sessionId: string; callId: number },
): Promise<CallDetail> {
  return CallDetail.parse(await ctx.runner.inspectSession(sessionId, `calls/${callId}`));
}
