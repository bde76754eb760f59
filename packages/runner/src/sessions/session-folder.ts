import { dirname, join } from "node:path";
import type { RunnerContext } from "#context.ts";
import { trialDirectory } from "#trials/trial-directory.ts";

type Known = Pick<RunnerContext, "config" | "trials" | "runs" | "outsideSessions">;

/** Folder of a session that this runner opened, for a trial's attempt or an outside agent; null where it opened none. */
export function sessionFolder(ctx: Known, sessionId: string): string | null {
  const outside = ctx.outsideSessions.get(sessionId);
  if (outside?.path) return dirname(outside.path);
  const relative = outside ? outside.directory : attemptDirectory(ctx, sessionId);
  return relative === null ? null : join(ctx.config.dataDir, relative);
}

/** Of an attempt's session; null for any other. */
export const rolloutIdOf = (sessionId: string) => /^(.+)-a\d+$/.exec(sessionId)?.[1] ?? null;

/** An attempt's folder lies beside those of its siblings, also after its run was removed. */
function attemptDirectory({ trials, runs }: Known, sessionId: string): string | null {
  const rolloutId = rolloutIdOf(sessionId);
  const trial = rolloutId === null ? undefined : trials.get(rolloutId);
  if (!trial) return null;
  const { runId, mode, step } = trial.request;
  const registered = runs.get(runId);
  if (registered)
    return trialDirectory({ project: registered.run.project, runId, mode, step, sessionId });
  const { directory } = trial.change;
  return directory === null ? null : join(dirname(directory), sessionId);
}
