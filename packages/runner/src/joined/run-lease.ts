import { createReadStream, createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { HEARTBEAT_S, LEASE_S, type Lease, type LeaseResult } from "@liverl/contract/lease";
import type { HarborContext } from "#context.ts";
import { TRIAL_LOG } from "#harbor-files/write-trial-files.ts";
import { type HomeClient, HomeRefusal, pathOf } from "#joined/home-client.ts";
import type { TaskCache } from "#joined/task-cache.ts";
import { packFolder } from "#sandboxes/pack-folder.ts";
import type { Attempt, AttemptOutcome, FailedAttempt } from "#trials/attempt.ts";
import type { AttemptSession } from "#trials/attempt-session.ts";
import { runHarborAttempt } from "#trials/run-harbor-attempt.ts";
import { newTrial, type Trial } from "#trials/trial.ts";
import { TRAJECTORY_FILE } from "#trials/trial-directory.ts";
import { TrialError, toRolloutError } from "#trials/trial-error.ts";

export interface JoinedContext extends HarborContext {
  readonly home: HomeClient;
  readonly tasks: TaskCache;
}

/** At most so much of a trial's log in one heartbeat. */
const LOG_CHUNK = 64 * 1024;

/** Works on one attempt, tells how it goes, and sends what it left. Never throws. */
export async function runLease(ctx: JoinedContext, lease: Lease): Promise<void> {
  const { leaseId, change } = lease;
  const directory = join("trials", change.sessionId);
  const root = join(ctx.config.dataDir, directory);
  const trial = newTrial(lease.request, change);
  const lost = new AbortController();
  const beating = new AbortController();
  const beats = beat(ctx, { leaseId, trial, root, lost }, beating.signal);
  try {
    const signal = AbortSignal.any([lost.signal, ctx.closing]);
    const ended = await attemptOf(ctx, lease, { trial, directory, signal });
    if (lost.signal.reason instanceof TrialError)
      return ctx.log.warn({ leaseId, why: lost.signal.reason.message }, "a lease was lost");
    // It came from there.
    await rm(join(root, TRAJECTORY_FILE), { force: true });
    await ctx.home.files(leaseId, () => packFolder(root, "trial")).catch(ignoreMissing);
    await ctx.home.result(leaseId, resultOf(ended, ctx.closing.aborted));
  } catch (error) {
    ctx.log.warn({ err: error, leaseId }, "an attempt's end could not be told");
  } finally {
    beating.abort();
    await beats;
    await rm(root, { recursive: true, force: true });
  }
}

async function attemptOf(
  ctx: JoinedContext,
  lease: Lease,
  { trial, directory, signal }: { trial: Trial; directory: string; signal: AbortSignal },
): Promise<AttemptOutcome | FailedAttempt> {
  const { leaseId, run, change, taskDigest, request } = lease;
  const attempt: Attempt = {
    ...{ run, trial, directory, signal },
    times: { queuedAt: new Date(change.queuedAt), startedAt: new Date() },
    session: leasedSession(ctx.home, lease, join(ctx.config.dataDir, directory)),
    // It was said when the lease was given.
    begin: async () => undefined,
  };
  try {
    const name = basename(request.taskRef);
    const folder = await ctx.tasks.ensure(taskDigest, name, () =>
      ctx.home.download(leaseId, "task"),
    );
    return await runHarborAttempt(ctx, attempt, folder);
  } catch (error) {
    return { failure: toRolloutError(error), directory: null };
  }
}

const STOPPED = () =>
  toRolloutError(new TrialError("RunnerStoppedError", "The joined runner was stopped."));

/** It lives where the leases are given. What is written of it comes here, for the trial's files tell of it. */
function leasedSession(home: HomeClient, { leaseId, change }: Lease, root: string): AttemptSession {
  return {
    open: async ({ verifyS }) => {
      const opened = await home.openSession(leaseId, verifyS);
      const baseUrl = `${home.url}${pathOf(leaseId)}/v1`;
      return { ...opened, sessionId: change.sessionId, baseUrl };
    },
    complete: async (ending) => {
      const completed = await home.completeSession(leaseId, ending);
      const trajectory = await home.download(leaseId, "trajectory");
      await pipeline(trajectory, createWriteStream(join(root, TRAJECTORY_FILE)));
      return completed;
    },
  };
}

function resultOf(ended: AttemptOutcome | FailedAttempt, isClosing: boolean): LeaseResult {
  if ("failure" in ended && isClosing) return { failure: STOPPED(), stopped: true, flags: [] };
  if ("failure" in ended)
    return { failure: ended.failure, stopped: false, flags: ended.flags ?? [] };
  const { status, reward, termination, turns, timings, flags, endedAt } = ended;
  if (!timings || !termination || !endedAt)
    throw new TrialError("TrialInfrastructureError", "An attempt ended without its times.");
  return { outcome: { status, reward, termination, turns, timings, flags, endedAt } };
}

/** Until `signal`. Aborts `lost` where the lease is over, or nobody could be told for as long as it lives. */
async function beat(
  ctx: JoinedContext,
  of: { leaseId: string; trial: Trial; root: string; lost: AbortController },
  signal: AbortSignal,
): Promise<void> {
  const { leaseId, trial, root, lost } = of;
  let told = 0;
  let heardAt = Date.now();
  while (!signal.aborted) {
    try {
      const log = await readLog(join(root, TRIAL_LOG), told);
      const { inSandbox } = trial;
      const phase = inSandbox && {
        phase: inSandbox.phase,
        ...(inSandbox.step !== null && { step: inSandbox.step }),
        at: inSandbox.since.toISOString(),
        state: inSandbox.state,
        deadlineAt: inSandbox.deadline?.toISOString() ?? null,
        sandbox: inSandbox.sandbox && {
          name: inSandbox.sandbox.name,
          facts: inSandbox.sandbox.facts,
        },
      };
      const { cancelled } = await ctx.home.heartbeat(leaseId, { phase, log: log.toString() });
      told += log.length;
      heardAt = Date.now();
      // Cancelled, it ends as such and tells what it left.
      if (cancelled) lost.abort();
    } catch (error) {
      const isOver = error instanceof HomeRefusal && error.status === 404;
      if (isOver || Date.now() - heardAt > LEASE_S * 1_000)
        lost.abort(new TrialError("RunnerLostError", isOver ? error.message : "no answer", error));
    }
    await sleep(HEARTBEAT_S * 1_000, undefined, { signal }).catch(() => undefined);
  }
}

/** Whole lines, so that no character is cut in two; of a line that is longer than a chunk, a part. */
async function readLog(path: string, from: number): Promise<Buffer> {
  const read = createReadStream(path, { start: from, end: from + LOG_CHUNK - 1 });
  const chunk = await buffer(read).catch(() => Buffer.alloc(0));
  const end = chunk.lastIndexOf("\n") + 1;
  return end === 0 && chunk.length === LOG_CHUNK ? chunk : chunk.subarray(0, end);
}

/** An attempt that failed before it had a folder has nothing to send. */
function ignoreMissing(error: unknown): void {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return;
  throw error;
}
