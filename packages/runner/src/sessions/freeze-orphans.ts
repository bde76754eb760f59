import { setTimeout as sleep } from "node:timers/promises";
import type { RunnerContext } from "#context.ts";
import type { OpenProxySession, ProxyLink } from "#proxy-process/proxy-link.ts";
import { sessionFolder } from "#sessions/session-folder.ts";
import { takeTrajectory } from "#sessions/take-trajectory.ts";
import { isFinished } from "#trials/trial.ts";

const RETRY_MS = 5_000;
const ORPHANED = { reward: null, termination: "infra-error" } as const;

/**
 * Completes the sessions of attempts that no life of this runner goes on with: nobody will speak in them again, and
 * their tokens belong on disk. The proxy says which there are, since the life that left them need not be the last one.
 */
export async function freezeOrphans(ctx: RunnerContext): Promise<void> {
  while (!ctx.closing.aborted) {
    try {
      for (const sessionId of await orphansAt(ctx, ctx.proxy))
        await ctx.proxy.completeSession(sessionId, ORPHANED);
      return;
    } catch (error) {
      if (ctx.closing.aborted) return;
      ctx.log.warn({ err: error }, "orphaned sessions could not be frozen; trying again");
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

/** The same at the proxy of a trainer's host, once: a host that is gone takes its sessions along. Never throws. */
export async function freezeTrainersOrphans(ctx: RunnerContext, link: ProxyLink): Promise<void> {
  try {
    for (const sessionId of await orphansAt(ctx, link)) {
      await link.completeSession(sessionId, ORPHANED);
      const folder = sessionFolder(ctx, sessionId);
      if (folder !== null) await takeTrajectory({ link, log: ctx.log }, sessionId, folder);
    }
  } catch (error) {
    ctx.log.warn({ err: error }, "orphaned sessions of a trainer's proxy could not be frozen");
  }
}

async function orphansAt(ctx: RunnerContext, link: ProxyLink): Promise<string[]> {
  const sessions = await link.listSessions();
  return sessions.filter((session) => isOrphan(ctx, session)).map(({ sessionId }) => sessionId);
}

/** A trial that is finished, or has a newer attempt. Sessions of trials that this runner never had are not its own. */
function isOrphan({ trials }: RunnerContext, { sessionId, rolloutId }: OpenProxySession): boolean {
  const trial = rolloutId === null ? undefined : trials.get(rolloutId);
  return trial !== undefined && (isFinished(trial) || trial.change.sessionId !== sessionId);
}
