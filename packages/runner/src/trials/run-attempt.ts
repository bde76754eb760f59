import type { RegisterRun } from "@liverl/contract/proxy-admin";
import { parseRepairRef } from "@liverl/contract/repair-task";
import type { RunnerContext } from "#context.ts";
import { taskFolderOf } from "#tasks/task-folder.ts";
import type { AttemptOutcome, FailedAttempt } from "#trials/attempt.ts";
import { newAttempt } from "#trials/new-attempt.ts";
import { runHarborAttempt } from "#trials/run-harbor-attempt.ts";
import { runRepairAttempt } from "#trials/run-repair-attempt.ts";
import type { Trial } from "#trials/trial.ts";
import { TrialError, toRolloutError } from "#trials/trial-error.ts";

/** One attempt from start to reward. Never throws: what infrastructure did to it is a {@link FailedAttempt}. */
export async function runAttempt(
  ctx: RunnerContext,
  run: RegisterRun,
  trial: Trial,
  signal: AbortSignal,
): Promise<AttemptOutcome | FailedAttempt> {
  const { request } = trial;
  const attempt = newAttempt(ctx, run, trial, signal);
  const repair = parseRepairRef(request.taskRef);
  if (repair) return await runRepairAttempt(ctx, attempt, repair);
  const folder = taskFolderOf(request.taskRef);
  if (folder !== null) return await runHarborAttempt(ctx, attempt, folder);
  const unknown = new TrialError("AgentSetupError", `No such task: ${request.taskRef}`);
  return { failure: toRolloutError(unknown), directory: null };
}
