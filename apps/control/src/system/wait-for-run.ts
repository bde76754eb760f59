import { setTimeout as sleep } from "node:timers/promises";
import { isTerminal, RunStatus } from "@liverl/contract/run";
import { TrainerResult } from "@liverl/contract/trainer";
import { readJson } from "@liverl/durable/atomic-file";
import type { Context } from "#context.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";
import type { PssSampler } from "#system/sample-pss.ts";

const LOOK_MS = 1_000;
/** What `--exit-after-run` promises: a policy that repairs at least this share of held-out tasks. */
const GOAL = 0.9;

/** Waits for the run's end and prints what it came to as the last line of stdout. Exit code 0 only when the goal is met. */
export async function waitForRun(
  ctx: Context,
  runId: string,
  pss: PssSampler | null,
  signal: AbortSignal,
): Promise<number> {
  let status: RunStatus = "queued";
  while (!signal.aborted && !isTerminal(status)) {
    const row = await ctx.db.run
      .findUnique({ where: { id: runId }, select: { status: true } })
      .catch(() => null);
    if (row) status = RunStatus.parse(row.status);
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  if (signal.aborted) return 130;
  const result = await readJson(runFiles(ctx.config.dataDir, runId).result, TrainerResult);
  const report = {
    runId,
    heldOutBefore: result?.heldOutBefore ?? null,
    heldOutReward: result?.heldOutReward ?? null,
    steps: result?.steps ?? null,
    trainSeconds: result?.trainSeconds ?? null,
    warmupSeconds: result?.warmupSeconds ?? null,
    rollouts: result?.rollouts ?? null,
    calls: result?.calls ?? null,
    tokens: result?.tokens ?? null,
    maxLogprobDiff: result?.maxLogprobDiff ?? null,
    peakPssMb: pss ? Math.round(pss.peakMb * 10) / 10 : null,
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return status === "succeeded" && (report.heldOutReward ?? 0) >= GOAL ? 0 : 1;
}
