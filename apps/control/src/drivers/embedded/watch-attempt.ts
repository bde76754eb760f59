import { setTimeout as sleep } from "node:timers/promises";
import { type TrainerEvent, TrainerResult } from "@liverl/contract/trainer";
import { readJson } from "@liverl/durable/atomic-file";
import { isAlive, type ProcessRecord, stopRecorded } from "@liverl/durable/process";
import type { Context } from "#context.ts";
import { isDatabaseAway } from "#database/is-database-away.ts";
import { type Ending, endingOf } from "#drivers/embedded/ending.ts";
import { drainTrainer, followTrainer } from "#drivers/embedded/follow-trainer.ts";
import type { RunFiles } from "#drivers/embedded/run-files.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { moveRun } from "#runs/move-run.ts";
import { followUpdates } from "#updates/follow-updates.ts";
import { indexUpdates } from "#updates/index-updates.ts";

/** Once an attempt has begun: a step that was asked for is asked for once. */
const LATEST = "latest";
const POLL_MS = 500;
const STOP_GRACE_MS = 2_000;

/** Follows one trainer process. Null when it ended without a result: a crash. */
export async function watchAttempt(
  ctx: Context,
  runId: string,
  files: RunFiles,
  attempt: number,
  record: ProcessRecord,
  signal: AbortSignal,
): Promise<Ending | null> {
  const done = new AbortController();
  const path = files.events(attempt);
  const onEvents = (events: TrainerEvent[]) => noteTraining(ctx, runId, events);
  const following = followTrainer(
    ctx,
    runId,
    path,
    AbortSignal.any([signal, done.signal]),
    onEvents,
  );
  const taking = followUpdates(
    ctx,
    { runId, attempt, path: files.updates(attempt) },
    AbortSignal.any([signal, done.signal]),
  );
  let ending: Ending | null;
  try {
    ending = await untilEnded(ctx, runId, files, record, signal);
  } finally {
    done.abort();
    await following;
    await taking;
  }
  await drainUpdates(ctx, runId);
  await drainTrainer(ctx, runId, path, onEvents, await following);
  return ending;
}

/** How the last attempt ended, when no process works on it any more; null when it left no result. Its events come first. */
export async function findEnding(
  ctx: Context,
  runId: string,
  files: RunFiles,
): Promise<Ending | null> {
  const { attempt, resumeFrom } = await getRunRow(ctx, runId);
  await drainUpdates(ctx, runId);
  // Until its trainer starts, a run that was resumed has only the attempt before it, which makes nothing of it running.
  const isFormer = resumeFrom !== null && resumeFrom !== LATEST;
  await drainTrainer(ctx, runId, files.events(attempt), async (events) => {
    if (!isFormer) await noteTraining(ctx, runId, events);
  });
  const result = await readJson(files.result, TrainerResult);
  return result && endingOf(result);
}

/** Takes in what a trainer that has ended left in its records. Throws while the database is away. */
async function drainUpdates(ctx: Context, runId: string): Promise<void> {
  try {
    await indexUpdates(ctx, runId);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    // How the run ended does not hang on them, and the next start reads on.
    ctx.log.error({ err: error, runId }, "updates can not be read");
  }
}

/** The run is running once its trainer asks for rollouts. */
async function noteTraining(ctx: Context, runId: string, events: TrainerEvent[]): Promise<void> {
  const training = events.some(
    (event) => event.kind === "phase" && event.id === "rollouts" && event.state === "start",
  );
  if (training) await moveRun(ctx, runId, { to: "running", reason: null, actor: "control" });
}

async function untilEnded(
  ctx: Context,
  runId: string,
  files: RunFiles,
  record: ProcessRecord,
  signal: AbortSignal,
): Promise<Ending | null> {
  for (;;) {
    await sleep(POLL_MS, undefined, { signal });
    const alive = await isAlive(record);
    const result = await readJson(files.result, TrainerResult);
    if (result) {
      await waitForExit(record);
      return endingOf(result);
    }
    const stopped = await stopNowEnding(ctx, runId);
    if (stopped) {
      await stopRecorded(record, { graceMs: STOP_GRACE_MS });
      await ctx.runner
        .cancelRun(runId)
        .catch((error: unknown) =>
          ctx.log.warn({ err: error, runId }, "the runner could not be told to cancel"),
        );
      return stopped;
    }
    if (!alive) return null;
  }
}

/** The result is there, so the work is done: a trainer that lingers is ended. */
async function waitForExit(record: ProcessRecord): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (Date.now() < deadline && (await isAlive(record))) await sleep(50);
  await stopRecorded(record, { graceMs: STOP_GRACE_MS });
}

export async function stopNowEnding(ctx: Context, runId: string): Promise<Ending | null> {
  const run = await ctx.db.run
    .findUnique({ where: { id: runId }, select: { status: true, stopMode: true } })
    .catch(() => null);
  return run?.status === "stopping" && run.stopMode === "now"
    ? { to: "cancelled", reason: "stopped at once" }
    : null;
}
