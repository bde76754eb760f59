import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import type { RegisteredRun, RunnerContext } from "#context.ts";
import { moveTrial } from "#trials/move-trial.ts";
import { isFinished } from "#trials/trial.ts";

const SETTLE_MS = 5_000;
const POLL_MS = 20;

/**
 * Cancels all of a run that is not finished: what waits, and what runs is ended. `isSettled`: none of it runs any more.
 * A run that stays registered takes the same rollouts anew, as new attempts.
 */
export async function cancelTrials(
  ctx: RunnerContext,
  registered: RegisteredRun,
): Promise<{ cancelled: number; isSettled: boolean }> {
  await Promise.allSettled(ctx.accepting.values());
  registered.queue.length = 0;
  const running = [...registered.running];
  const waiting = [...ctx.trials.values()].filter(
    (trial) =>
      trial.request.runId === registered.runId &&
      trial.change.status === "queued" &&
      !registered.running.has(trial),
  );
  const endedAt = new Date().toISOString();
  await Promise.all(
    waiting.map((trial) =>
      moveTrial(ctx, trial, "cancelled", { termination: "cancelled", endedAt }),
    ),
  );
  const settleBy = Date.now() + SETTLE_MS;
  const isRunning = () => running.some((trial) => registered.running.has(trial));
  while (isRunning() && Date.now() < settleBy) {
    // Again each time: a trial between two attempts has nothing to abort for a moment.
    for (const trial of running) trial.controller?.abort();
    await sleep(POLL_MS);
  }
  return { cancelled: waiting.length + running.length, isSettled: !isRunning() };
}

/** Cancels one rollout, whether it waits or runs. It ends as cancelled, without a reward. */
export async function cancelTrial(ctx: RunnerContext, rolloutId: string): Promise<void> {
  const trial = ctx.trials.get(rolloutId);
  const registered = trial && ctx.runs.get(trial.request.runId);
  if (!trial || !registered)
    throw new AppError("NOT_FOUND", { userMessage: `Rollout ${rolloutId} not found.` });
  if (isFinished(trial))
    throw new AppError("CONFLICT", {
      userMessage: `Rollout ${rolloutId} has ended: ${trial.change.status}.`,
    });
  const place = registered.queue.indexOf(trial);
  if (place !== -1) {
    registered.queue.splice(place, 1);
    const endedAt = new Date().toISOString();
    await moveTrial(ctx, trial, "cancelled", { termination: "cancelled", endedAt });
    return;
  }
  const settleBy = Date.now() + SETTLE_MS;
  while (!isFinished(trial) && Date.now() < settleBy) {
    trial.controller?.abort();
    await sleep(POLL_MS);
  }
}
