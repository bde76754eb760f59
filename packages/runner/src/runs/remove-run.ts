import { setTimeout as sleep } from "node:timers/promises";
import type { RunnerContext } from "#context.ts";
import { moveTrial } from "#trials/move-trial.ts";

const SETTLE_MS = 5_000;

/** Forgets a run: what waits is cancelled, what runs is ended and cancelled. Unknown runs are as good as removed. */
export async function removeRun(ctx: RunnerContext, runId: string): Promise<{ cancelled: number }> {
  const registered = ctx.runs.get(runId);
  if (!registered) return { cancelled: 0 };
  await ctx.journal.append({ kind: "run-removed", runId, at: new Date().toISOString() });
  ctx.runs.delete(runId);
  registered.queue.length = 0;
  const running = [...registered.running];
  const waiting = [...ctx.trials.values()].filter(
    (trial) =>
      trial.request.runId === runId &&
      trial.change.status === "queued" &&
      !registered.running.has(trial),
  );
  for (const trial of running) trial.controller?.abort();
  const endedAt = new Date().toISOString();
  await Promise.all(
    waiting.map((trial) =>
      moveTrial(ctx, trial, "cancelled", { termination: "cancelled", endedAt }),
    ),
  );
  const settleBy = Date.now() + SETTLE_MS;
  while (registered.running.size > 0 && Date.now() < settleBy) await sleep(20);
  return { cancelled: waiting.length + running.length };
}
