import type { RunnerContext } from "#context.ts";
import { cancelTrials } from "#runs/cancel-trials.ts";

const POOL_PATIENCE_MS = 5_000;

/** Forgets a run, its trials' unfinished rest and its engines. Unknown runs are as good as removed. */
export async function removeRun(ctx: RunnerContext, runId: string): Promise<{ cancelled: number }> {
  const registered = ctx.runs.get(runId);
  if (!registered) return { cancelled: 0 };
  await ctx.journal.append({ kind: "run-removed", runId, at: new Date().toISOString() });
  ctx.runs.delete(runId);
  const { cancelled } = await cancelTrials(ctx, registered);
  // Registered again meanwhile, it needs its engines.
  if (!ctx.runs.has(runId) && !registered.run.trainerProxies) await deletePool(ctx, runId);
  return { cancelled };
}

async function deletePool(ctx: RunnerContext, runId: string): Promise<void> {
  await ctx.proxy
    .deletePool(runId, { patienceMs: POOL_PATIENCE_MS })
    .catch((error) => ctx.log.warn({ err: error, runId }, "the proxy did not drop a pool"));
}
