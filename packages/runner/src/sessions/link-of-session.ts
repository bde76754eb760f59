import type { RunnerContext } from "#context.ts";
import type { ProxyLink } from "#proxy-process/proxy-link.ts";
import { rolloutIdOf } from "#sessions/session-folder.ts";
import type { Trial } from "#trials/trial.ts";

type Linked = Pick<RunnerContext, "proxy" | "trainerProxies" | "trials">;

/** The proxy that has the trial's sessions: its trainer's, or the runner's own. */
export function linkOfTrial({ proxy, trainerProxies }: Linked, trial: Trial): ProxyLink {
  return trial.proxy === null ? proxy : trainerProxies.linkOf(trial.proxy);
}

export function linkOfSession(ctx: Linked, sessionId: string): ProxyLink {
  const rolloutId = rolloutIdOf(sessionId);
  const trial = rolloutId === null ? undefined : ctx.trials.get(rolloutId);
  return trial ? linkOfTrial(ctx, trial) : ctx.proxy;
}
