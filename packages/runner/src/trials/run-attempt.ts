import type { RegisterRun } from "@liverl/contract/proxy-admin";
import { parseRepairRef } from "@liverl/contract/repair-task";
import type { RunnerContext } from "#context.ts";
import { linkOfTrial } from "#sessions/link-of-session.ts";
import { taskFolderOf } from "#tasks/task-folder.ts";
import type { Attempt, AttemptOutcome, FailedAttempt } from "#trials/attempt.ts";
import { runHarborAttempt } from "#trials/run-harbor-attempt.ts";
import { runRepairAttempt } from "#trials/run-repair-attempt.ts";
import type { Trial } from "#trials/trial.ts";
import { trialDirectory } from "#trials/trial-directory.ts";
import { TrialError, toRolloutError } from "#trials/trial-error.ts";

/** One attempt from start to reward. Never throws: what infrastructure did to it is a {@link FailedAttempt}. */
export async function runAttempt(
  ctx: RunnerContext,
  run: RegisterRun,
  trial: Trial,
  signal: AbortSignal,
): Promise<AttemptOutcome | FailedAttempt> {
  const { request, change } = trial;
  const directory = trialDirectory({
    project: run.project,
    runId: request.runId,
    mode: request.mode,
    step: request.step,
    sessionId: change.sessionId,
  });
  const times = { queuedAt: new Date(change.queuedAt), startedAt: new Date() };
  const proxy = { link: linkOfTrial(ctx, trial), isTrainers: trial.proxy !== null };
  const attempt: Attempt = { run, proxy, trial, directory, signal, times };
  const repair = parseRepairRef(request.taskRef);
  if (repair) return await runRepairAttempt(ctx, attempt, repair);
  const folder = taskFolderOf(request.taskRef);
  if (folder !== null) return await runHarborAttempt(ctx, attempt, folder);
  const unknown = new TrialError("AgentSetupError", `No such task: ${request.taskRef}`);
  return { failure: toRolloutError(unknown), directory: null };
}
