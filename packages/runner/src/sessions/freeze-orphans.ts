import { setTimeout as sleep } from "node:timers/promises";
import type { RunnerContext } from "#context.ts";
import type { OpenProxySession } from "#proxy-process/proxy-link.ts";
import { isFinished } from "#trials/trial.ts";

const RETRY_MS = 5_000;

/**
 * Completes the sessions of attempts that no life of this runner goes on with: nobody will speak in them again, and
 * their tokens belong on disk. The proxy says which there are, since the life that left them need not be the last one.
 */
export async function freezeOrphans(ctx: RunnerContext): Promise<void> {
  while (!ctx.closing.aborted) {
    try {
      const sessions = await ctx.proxy.listSessions();
      for (const { sessionId } of sessions.filter((session) => isOrphan(ctx, session)))
        await ctx.proxy.completeSession(sessionId, { reward: null, termination: "infra-error" });
      return;
    } catch (error) {
      if (ctx.closing.aborted) return;
      ctx.log.warn({ err: error }, "orphaned sessions could not be frozen; trying again");
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

/** A trial that is finished, or has a newer attempt. Sessions of trials that this runner never had are not its own. */
function isOrphan({ trials }: RunnerContext, { sessionId, rolloutId }: OpenProxySession): boolean {
  const trial = rolloutId === null ? undefined : trials.get(rolloutId);
  return trial !== undefined && (isFinished(trial) || trial.change.sessionId !== sessionId);
}
