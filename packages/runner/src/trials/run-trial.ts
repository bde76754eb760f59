import { setTimeout as sleep } from "node:timers/promises";
import type { TrialChange } from "@liverl/contract/rollout";
import type { RegisteredRun, RunnerContext } from "#context.ts";
import type { AttemptOutcome, FailedAttempt } from "#trials/attempt.ts";
import { resultOf } from "#trials/load-result.ts";
import { moveTrial } from "#trials/move-trial.ts";
import { endingOf, isNeverRetried } from "#trials/own-ends.ts";
import { runSomewhere } from "#trials/run-somewhere.ts";
import { sessionIdOf, type Trial } from "#trials/trial.ts";

const MAX_INFRA_FAILURES = 2;
const DISK_RETRY_MS = 1_000;
/** How long an answer with its segments stays in memory: whoever waits for it asks at once. */
const KEEP_RESULT_MS = 10_000;

/** Runs attempts of a trial until it is finished. Infrastructure failures are tried once more, as a new attempt. */
export async function runTrial(
  ctx: RunnerContext,
  registered: RegisteredRun,
  trial: Trial,
): Promise<void> {
  for (;;) {
    const controller = new AbortController();
    trial.controller = controller;
    const outcome = await runSomewhere(ctx, registered.run, trial, controller.signal);
    trial.controller = null;
    // Left for the next life of this process: it starts over as a new attempt.
    if (ctx.closing.aborted) return;
    if (!("failure" in outcome)) return await finish(ctx, trial, outcome);
    ctx.log.warn(
      { failure: outcome.failure, sessionId: trial.change.sessionId },
      "an attempt failed",
    );
    if (!outcome.isForgiven) trial.infraFailures++;
    const isFinal =
      trial.infraFailures >= MAX_INFRA_FAILURES || isNeverRetried(outcome.failure.exception_type);
    if (isFinal || controller.signal.aborted) {
      return await fail(ctx, trial, outcome, controller.signal.aborted);
    }
    const attempt = trial.change.attempt + 1;
    if (trial.change.status === "running") {
      await persist(ctx, trial, "queued", {
        attempt,
        sessionId: sessionIdOf(trial.change.rolloutId, attempt),
        startedAt: null,
        directory: null,
      });
    }
  }
}

async function finish(ctx: RunnerContext, trial: Trial, outcome: AttemptOutcome): Promise<void> {
  const { status, segments, ...patch } = outcome;
  trial.result = resultOf({ ...trial.change, ...patch, status }, segments);
  await persist(ctx, trial, status, patch);
  const { result } = trial;
  setTimeout(() => {
    if (trial.result === result) trial.result = null;
  }, KEEP_RESULT_MS).unref();
}

async function fail(
  ctx: RunnerContext,
  trial: Trial,
  failed: FailedAttempt,
  isCancelled: boolean,
): Promise<void> {
  const { failure: error, directory, flags = [], sampled } = failed;
  const termination = isCancelled ? "cancelled" : endingOf(error);
  await persist(ctx, trial, isCancelled ? "cancelled" : "failed", {
    ...sampled,
    error,
    directory,
    termination,
    flags,
    reward: null,
    endedAt: new Date().toISOString(),
  });
}

/** A full disk must not lose a trial: it stays as it is until its change could be written. */
async function persist(
  ctx: RunnerContext,
  trial: Trial,
  to: TrialChange["status"],
  patch: Partial<TrialChange>,
): Promise<void> {
  for (;;) {
    try {
      return await moveTrial(ctx, trial, to, patch);
    } catch (error) {
      if (ctx.closing.aborted) return;
      ctx.log.error(
        { err: error, rolloutId: trial.request.rolloutId },
        "a change could not be written; trying again",
      );
      await sleep(DISK_RETRY_MS);
    }
  }
}
