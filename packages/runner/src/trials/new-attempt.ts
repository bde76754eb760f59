import type { RegisterRun } from "@liverl/contract/proxy-admin";
import type { RunnerContext } from "#context.ts";
import type { Attempt } from "#trials/attempt.ts";
import { sessionAtProxy } from "#trials/attempt-session.ts";
import { moveTrial } from "#trials/move-trial.ts";
import type { Trial } from "#trials/trial.ts";
import { trialDirectory } from "#trials/trial-directory.ts";

/** Of a trial whose session is opened by this runner. */
export function newAttempt(
  ctx: RunnerContext,
  run: RegisterRun,
  trial: Trial,
  signal: AbortSignal,
): Attempt {
  const { request, change } = trial;
  const directory = trialDirectory({
    project: run.project,
    runId: request.runId,
    mode: request.mode,
    step: request.step,
    sessionId: change.sessionId,
  });
  const startedAt = new Date();
  return {
    ...{ run, trial, directory, signal },
    times: { queuedAt: new Date(change.queuedAt), startedAt },
    session: sessionAtProxy(ctx, { run, trial, directory }),
    begin: (started) =>
      moveTrial(ctx, trial, "running", {
        ...started,
        startedAt: startedAt.toISOString(),
        error: null,
      }),
  };
}
