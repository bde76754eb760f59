import type { RegisteredRun, RunnerContext } from "#context.ts";
import { runTrial } from "#trials/run-trial.ts";

/** Starts waiting trials of a run, up to its concurrency. */
export function startQueued(ctx: RunnerContext, registered: RegisteredRun): void {
  while (registered.running.size < registered.run.concurrency && !ctx.closing.aborted) {
    const trial = registered.queue.shift();
    if (!trial) return;
    registered.running.add(trial);
    void runTrial(ctx, registered, trial)
      .catch((error) =>
        ctx.log.error(
          { err: error, rolloutId: trial.request.rolloutId },
          "a trial could not be finished",
        ),
      )
      .finally(() => {
        registered.running.delete(trial);
        startQueued(ctx, registered);
      });
  }
}
