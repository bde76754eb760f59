import { AppError } from "@liverl/contract/app-error";
import type { RegisterRun } from "@liverl/contract/proxy-admin";
import type { RegisteredRun, RunnerContext } from "#context.ts";
import { checkAgent } from "#runs/check-agent.ts";
import { startQueued } from "#trials/start-queued.ts";
import { TrialError } from "#trials/trial-error.ts";

const PATH_SAFE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/;

/** Makes a run known, durably; a repeat replaces what it said. The proxy learns its engines before this resolves. */
export async function registerRun(
  ctx: RunnerContext,
  runId: string,
  run: RegisterRun,
): Promise<void> {
  // Both become folders of the data directory.
  if (!PATH_SAFE.test(runId) || !PATH_SAFE.test(run.project)) {
    throw new AppError("BAD_REQUEST", {
      userMessage: "Run and project are named by letters, digits, '.', '_' and '-'.",
    });
  }
  await checkAgent(ctx, run.agent);
  await ctx.journal.append({ kind: "run", runId, run, at: new Date().toISOString() });
  const known = ctx.runs.get(runId);
  ctx.runs.delete(runId);
  const registered: RegisteredRun = known ?? { runId, run, queue: [], running: new Set() };
  registered.run = run;
  ctx.runs.set(runId, registered);
  if (!run.trainerProxies)
    await ctx.proxy.putPool(runId, run.pool).catch((error: unknown) => {
      // A repeat would be refused again, and whoever asks must not wait for it.
      if (error instanceof TrialError && error.exceptionType === "ProxyRefusedError")
        throw new AppError("BAD_REQUEST", { userMessage: error.userMessage, cause: error });
      throw error;
    });
  startQueued(ctx, registered);
}

/** Tells a proxy that has just come up all pools; it keeps them itself, so this mends only what it missed. */
export async function forwardPools(
  ctx: Pick<RunnerContext, "runs" | "proxy" | "log">,
): Promise<void> {
  const forward = ({ runId, run }: RegisteredRun) =>
    ctx.proxy
      .putPool(runId, run.pool)
      .catch((error) => ctx.log.warn({ err: error, runId }, "the proxy did not take a pool"));
  const own = [...ctx.runs.values()].filter(({ run }) => !run.trainerProxies);
  await Promise.all(own.map(forward));
}
