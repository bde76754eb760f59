import type { RegisterRun } from "@liverl/contract/proxy-admin";
import type { RunnerContext } from "#context.ts";
import { runLeasedAttempt } from "#leases/run-leased-attempt.ts";
import { taskFolderOf } from "#tasks/task-folder.ts";
import type { AttemptOutcome, FailedAttempt } from "#trials/attempt.ts";
import { runAttempt } from "#trials/run-attempt.ts";
import type { Trial } from "#trials/trial.ts";
import { toRolloutError } from "#trials/trial-error.ts";

/**
 * One attempt, where there is room for it: here, or, of a task in Harbor's format, at a joined runner. Waits for room.
 * Never throws: what infrastructure did to it is a {@link FailedAttempt}.
 */
export async function runSomewhere(
  ctx: RunnerContext,
  run: RegisterRun,
  trial: Trial,
  signal: AbortSignal,
): Promise<AttemptOutcome | FailedAttempt> {
  const folder = taskFolderOf(trial.request.taskRef);
  if (folder === null) return await runAttempt(ctx, run, trial, signal);
  const place = await ctx.places.find(AbortSignal.any([signal, ctx.closing])).catch(() => null);
  // Cancelled while it waited.
  if (!place) return { failure: toRolloutError(signal.reason), directory: null };
  if (place.kind === "joined")
    return await runLeasedAttempt(ctx, { run, trial, folder }, place, signal);
  try {
    return await runAttempt(ctx, run, trial, signal);
  } finally {
    place.leave();
  }
}
