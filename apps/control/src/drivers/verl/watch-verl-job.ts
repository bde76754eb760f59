import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import type { RunDiagnosis } from "@liverl/contract/run";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { isDatabaseAway } from "#database/is-database-away.ts";
import { explain, LogDiagnosis } from "#diagnosis/log-diagnosis.ts";
import type { Ending } from "#drivers/embedded/ending.ts";
import { endingOfJob } from "#drivers/verl/ending.ts";
import type { JobState, VerlJob } from "#drivers/verl/job-state.ts";
import { LoggedSteps } from "#drivers/verl/logged-steps.ts";
import { Milestones } from "#drivers/verl/milestones.ts";
import { isStopping, onceRun } from "#drivers/verl/once-run.ts";
import type { VerlFiles } from "#drivers/verl/verl-files.ts";
import { watchBoot } from "#drivers/verl/watch-boot.ts";
import { effectiveSpec } from "#launch/effective-spec.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

const POLL_MS = 1_000;
const AGAIN_MS = 5_000;
const isGivenUp = ({ stopMode }: Run) => stopMode === "abandon";

/** An attempt whose job was started. */
export interface Watched {
  runId: string;
  attempt: number;
  spec: VerlSpec;
  files: VerlFiles;
  job: VerlJob;
}

export async function watchVerlJob(
  ctx: Context,
  watched: Watched,
  signal: AbortSignal,
): Promise<Ending> {
  const { runId, attempt, job } = watched;
  const log = new LogDiagnosis(watched.files.console(attempt));
  const done = new AbortController();
  const until = AbortSignal.any([signal, done.signal]);
  const following = [
    watchBoot(ctx, { runId, attempt, console: watched.files.console(attempt) }, until),
    job.followLog(until).catch((error: unknown) => {
      if (!until.aborted) ctx.log.warn({ err: error, runId }, "the job's log is not followed");
    }),
    log.follow(until).catch((error: unknown) => {
      ctx.log.warn(
        { err: error, runId },
        "the log's errors are not followed; it is read at its end",
      );
    }),
  ];
  try {
    return await despiteErrors(ctx, runId, signal, () => untilEnded(ctx, watched, log, signal));
  } finally {
    done.abort();
    await Promise.all(following);
    // What stands open is where it ended.
    if (!signal.aborted) await closeOpenPhase(ctx, runId, attempt);
  }
}

/** What goes wrong while a job is watched says nothing of the job: it is looked at again. */
async function despiteErrors<T>(
  ctx: Context,
  runId: string,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  let told: string | null = null;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (signal.aborted || isDatabaseAway(error)) throw error;
      ctx.log.error({ err: error, runId }, "the job could not be looked at");
      const message = `The job could not be looked at and is left alone: ${error instanceof AppError ? error.userMessage : String(error)}`;
      if (message !== told)
        await recordRunEvent(ctx, runId, { kind: "alert", actor: "control", message });
      told = message;
    }
    await sleep(AGAIN_MS, undefined, { signal });
  }
}

async function untilEnded(
  ctx: Context,
  watched: Watched,
  log: LogDiagnosis,
  signal: AbortSignal,
): Promise<Ending> {
  const { runId, attempt, spec, files, job } = watched;
  // An override wins in verl, so it is the plan.
  const plannedSteps = effectiveSpec(spec).spec.trainer.total_training_steps;
  const steps = new LoggedSteps(files.metrics(attempt));
  const milestones = new Milestones(ctx, runId);
  /** The step that was newest when a stop after the step was asked for. */
  let stopAfter: number | null = null;
  for (;;) {
    const run = await getRunRow(ctx, runId);
    const isKilled = isStopping(run) && run.stopMode !== "after-step";
    // A kill needs no word of the job.
    const state = isKilled ? await job.state().catch(() => null) : await job.state();
    const lastStep = await steps.last();
    await milestones.record(steps, { atEnd: state?.kind === "ended" });
    if (state?.kind === "ended") {
      const diagnosis = lastStep >= plannedSteps ? null : await log.conclude();
      const cause = causeOf(state, diagnosis);
      const ending = endingOfJob({ code: state.code, lastStep, plannedSteps, cause, diagnosis });
      return stopAfter !== null && ending.to === "failed" && lastStep > stopAfter
        ? { to: "stopped", reason: `stopped after step ${lastStep}` }
        : ending;
    }
    if (isKilled)
      return await stopJob(
        ctx,
        watched,
        { to: "cancelled", reason: `stopped at once, after step ${lastStep}` },
        signal,
      );
    if (isStopping(run)) {
      stopAfter ??= lastStep;
      if (lastStep > stopAfter && lastStep < plannedSteps)
        return await stopJob(
          ctx,
          watched,
          { to: "stopped", reason: `stopped after step ${lastStep}` },
          signal,
        );
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Ends the job, or gives it up where a person says so: its cluster may be gone for good. */
async function stopJob(
  ctx: Context,
  { runId, job }: Watched,
  ending: Ending,
  signal: AbortSignal,
): Promise<Ending> {
  const givenUp = onceRun(ctx, runId, isGivenUp);
  try {
    await job.stop(AbortSignal.any([signal, givenUp.signal]));
    return ending;
  } catch (error) {
    if (!givenUp.signal.aborted || signal.aborted) throw error;
    return {
      to: "cancelled",
      reason: `${ending.reason}; given up without an answer of its cluster, where it may still run`,
    };
  } finally {
    givenUp.forget();
  }
}

/** What the log shows; what is known of a job that nobody saw end says more than an error that the log cannot explain. */
function causeOf(
  { code, detail }: JobState & { kind: "ended" },
  diagnosis: RunDiagnosis | null,
): string | null {
  if (diagnosis === null || (code === null && detail !== null && diagnosis.confidence === "low"))
    return detail;
  const words = explain(diagnosis);
  return code === null && detail !== null ? `${detail}; ${words}` : words;
}

async function closeOpenPhase(ctx: Context, runId: string, attempt: number): Promise<void> {
  await ctx.db.bootPhase.updateMany({
    where: { runId, attempt, state: "now" },
    data: { state: "failed", endedAt: new Date() },
  });
}
