import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { LeaseOutcome } from "@liverl/contract/lease";
import type { RegisterRun } from "@liverl/contract/proxy-admin";
import { readJson } from "@liverl/durable/atomic-file";
import type { RunnerContext } from "#context.ts";
import { RESULT_FILE } from "#harbor-files/job-files.ts";
import { TrialRow } from "#harbor-files/job-result.ts";
import { mergeFlags } from "#integrity/merge-flags.ts";
import { compareWithOracle } from "#integrity/oracle-tests.ts";
import { OpenLease } from "#leases/open-lease.ts";
import type { Place } from "#leases/places.ts";
import { digestTask } from "#tasks/task-digest.ts";
import type { AttemptOutcome, FailedAttempt } from "#trials/attempt.ts";
import { type HarborAttempt, verifierFolder } from "#trials/harbor-attempt.ts";
import { newAttempt } from "#trials/new-attempt.ts";
import { abandon, newHarborAttempt } from "#trials/run-harbor-attempt.ts";
import type { Trial } from "#trials/trial.ts";
import { TrialError, toRolloutError } from "#trials/trial-error.ts";
import { jobOf } from "#trials/write-harbor-trial.ts";

type JoinedPlace = Extract<Place, { kind: "joined" }>;

/**
 * One attempt of a task in Harbor's format at a joined runner. The session is opened here, and the trial's files come
 * here. Never throws: what infrastructure did to it is a {@link FailedAttempt}.
 */
export async function runLeasedAttempt(
  ctx: RunnerContext,
  { run, trial, folder }: { run: RegisterRun; trial: Trial; folder: string },
  place: JoinedPlace,
  signal: AbortSignal,
): Promise<AttemptOutcome | FailedAttempt> {
  const attempt = newHarborAttempt(ctx, newAttempt(ctx, run, trial, signal), folder);
  let lease: OpenLease | null = null;
  try {
    const taskDigest = await digestTask(folder);
    await mkdir(attempt.root, { recursive: true });
    await attempt.begin({ directory: attempt.directory });
    lease = new OpenLease({ runner: place.runner, attempt, taskDigest });
    ctx.leases.set(lease.id, lease);
    if (!place.hand(lease)) throw lostBeforehand(place.runner);
    const result = await lease.ended;
    if ("outcome" in result) return await conclude(ctx, lease, result.outcome);
    if (result.stopped) {
      const { exception_type, exception_message } = result.failure;
      const stopped = new TrialError(exception_type, exception_message);
      return { ...(await abandon(ctx, attempt, stopped)), isForgiven: true };
    }
    await addToJob(ctx, attempt);
    return { failure: result.failure, directory: attempt.directory, flags: result.flags };
  } catch (error) {
    // Where it was handed over already, this does nothing.
    place.hand(null);
    if (ctx.closing.aborted) return { failure: toRolloutError(error), directory: null };
    return await abandon(ctx, attempt, error);
  } finally {
    if (lease) ctx.leases.delete(lease.id);
    trial.inSandbox = null;
  }
}

async function conclude(
  ctx: RunnerContext,
  { attempt, completed, taskDigest }: OpenLease,
  outcome: LeaseOutcome,
): Promise<AttemptOutcome> {
  const { directory, scaffold } = attempt;
  if (!completed)
    throw new TrialError("RunnerLostError", "The attempt ended before its session was frozen.");
  await addToJob(ctx, attempt);
  const flags = await compareWithOracle({
    dataDir: ctx.config.dataDir,
    checksum: taskDigest,
    verifierDir: verifierFolder(attempt),
    sessionId: attempt.trial.change.sessionId,
    agent: scaffold.name,
    score: outcome.reward,
  });
  const { tokensSampled, tokensTotal, versionSpan, truncated, keptSegments } = completed;
  return {
    ...outcome,
    ...{ tokensSampled, tokensTotal, versionSpan, truncated, keptSegments, directory },
    routingCoverage: completed.routingCoverage,
    untrained: completed.untrained,
    segments: completed.segments,
    flags: mergeFlags([...outcome.flags, ...flags]),
  };
}

/** Its own files have come here. */
async function addToJob({ jobs, log }: RunnerContext, attempt: HarborAttempt): Promise<void> {
  const row = await readJson(join(attempt.root, RESULT_FILE), TrialRow).catch(() => null);
  if (row) jobs.add(jobOf(attempt), row);
  else log.warn({ folder: attempt.root }, "a joined runner sent no result.json");
}

const lostBeforehand = (runner: string) =>
  new TrialError("RunnerLostError", `The runner ${runner} has gone before it got the trial.`);
