import { mkdir } from "node:fs/promises";
import { AppError } from "@liverl/contract/app-error";
import { LaunchSpec } from "@liverl/contract/launch";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Context } from "#context.ts";
import { untilAvailable } from "#data-plane/until-available.ts";
import { isDatabaseAway } from "#database/is-database-away.ts";
import type { Ending } from "#drivers/embedded/ending.ts";
import { recordBootPhase } from "#drivers/embedded/record-boot-phase.ts";
import { buildVerlJob } from "#drivers/verl/build-verl-job.ts";
import type { VerlJob } from "#drivers/verl/job-state.ts";
import { isStopping, onceRun } from "#drivers/verl/once-run.ts";
import type { VerlPhase } from "#drivers/verl/read-boot-line.ts";
import { registerVerlRun } from "#drivers/verl/register-verl-run.ts";
import { verlFiles } from "#drivers/verl/verl-files.ts";
import { watchVerlJob } from "#drivers/verl/watch-verl-job.ts";
import { refuseUnnamedPlaces } from "#launch/check-places.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import { completeEndedRun } from "#rollouts/compute-group-series.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { revealValues } from "#runs/hidden-values.ts";
import { moveRun } from "#runs/move-run.ts";

const ACTOR = "control";
const TAKE_BACK_MS = 30_000;
/** `stopMode` of a run whose job ended because LiveRL was stopped: it goes on as a new attempt. */
export const INTERRUPTED = "interrupted";

/**
 * Brings one verl run from queued to its end: registration at the runner, environment, job, boot phases, end. May be
 * called again for a run that is under way, after a restart of control: the job is found again and goes on. Rejects
 * when `signal` fires; the job lives on then.
 */
export async function conductVerlRun(
  ctx: Context,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  const run = await getRunRow(ctx, runId);
  if (run.status === "queued" || run.stopMode === INTERRUPTED)
    await ctx.db.run.update({
      where: { id: runId },
      data: { attempt: run.attempt + 1, stopMode: null },
    });
  if (run.status === "queued")
    if (!(await moveRun(ctx, runId, { to: "booting", reason: null, actor: ACTOR }))) return;
  const ending = await conduct(ctx, runId, signal).catch((error: unknown): Ending => {
    if (signal.aborted || isDatabaseAway(error)) throw error;
    ctx.log.error({ err: error, runId }, "run failed");
    return {
      to: "failed",
      reason:
        error instanceof AppError
          ? error.userMessage
          : "booting failed; the control log has the details",
    };
  });
  signal.throwIfAborted();
  await ctx.runner
    .cancelRun(runId)
    .catch((error: unknown) => ctx.log.warn({ err: error, runId }, "the runner was not told"));
  // Nobody saw it train: it did so while control was away.
  if (ending.to === "succeeded")
    await moveRun(ctx, runId, { to: "running", reason: null, actor: ACTOR });
  const moved = await moveRun(ctx, runId, {
    to: ending.to,
    reason: ending.reason,
    actor: ACTOR,
    change: { released: true, diagnosis: ending.diagnosis ?? null },
  });
  if (!moved) throw new Error(`${runId} could not be moved to ${ending.to} (${ending.reason})`);
  await completeEndedRun(ctx, runId);
}

async function conduct(ctx: Context, runId: string, signal: AbortSignal): Promise<Ending> {
  const run = await getRunRow(ctx, runId);
  const spec = verlSpecOf(await revealValues(ctx.config.dataDir, LaunchSpec.parse(run.spec)));
  refuseUnnamedPlaces(ctx.config.places, spec);
  const files = verlFiles(ctx.config.dataDir, runId);
  const { attempt } = run;
  const phase = bootPhases(ctx, runId, attempt, signal);
  await phase("preflight", async () => {
    for (const folder of [files.logs, files.checkpoints]) await mkdir(folder, { recursive: true });
    const stop = onceRun(ctx, runId, isStopping);
    const either = AbortSignal.any([signal, stop.signal]);
    try {
      await untilAvailable(either, () => registerVerlRun(ctx, runId, spec));
    } catch (error) {
      if (!stop.signal.aborted || signal.aborted) throw error;
    } finally {
      stop.forget();
    }
  });
  if (
    (await getRunRow(ctx, runId)).status === "stopping" &&
    !(await wasStarted(ctx, runId, attempt))
  )
    return { to: "cancelled", reason: "stopped before verl was started" };
  const job = await buildVerlJob(ctx, run, spec, files);
  await ctx.db.ingestSource.createMany({
    data: [{ runId, path: files.metrics(attempt) }],
    skipDuplicates: true,
  });
  ctx.ingest.refresh();
  if (!(await wasStarted(ctx, runId, attempt))) {
    // An environment takes minutes to make and a cluster minutes to answer: who asks for a stop does not wait for them.
    const stop = onceRun(ctx, runId, isStopping);
    const either = AbortSignal.any([signal, stop.signal]);
    try {
      await phase("venv", (progress) => job.prepare(progress, either));
      either.throwIfAborted();
      await job.start(either).catch(async (error: unknown) => {
        // The next life of control finds the job and goes on.
        if (!signal.aborted && !isDatabaseAway(error)) await takeBack(ctx, runId, job);
        throw error;
      });
    } catch (error) {
      if (!stop.signal.aborted || signal.aborted) throw error;
      return { to: "cancelled", reason: "stopped before verl was started" };
    } finally {
      stop.forget();
    }
    await recordBootPhase(ctx, runId, attempt, "ray", "start", new Date(), null);
  }
  return await watchVerlJob(ctx, { runId, attempt, spec, files, job }, signal);
}

/** A start that failed may have come through although its answer did not: what there is of the job is ended. */
async function takeBack(ctx: Context, runId: string, job: VerlJob): Promise<void> {
  await job.stop(AbortSignal.timeout(TAKE_BACK_MS)).catch((error: unknown) => {
    ctx.log.warn({ err: error, runId }, "a job that was not started may be left");
  });
}

/** The values that verl will see: what LiveRL prepares beside it must be the same. */
function verlSpecOf(stored: unknown): VerlSpec {
  const spec = settledSpec(stored);
  if (spec === null || spec.driver === "embedded") throw new Error("the run has no spec of verl");
  return spec;
}

/** Whether an earlier life of control started this attempt's job. Where it died before it noted so, the job is found again. */
async function wasStarted(ctx: Context, runId: string, attempt: number): Promise<boolean> {
  const phase = await ctx.db.bootPhase.findUnique({
    where: { runId_attempt_phase: { runId, attempt, phase: "ray" } },
  });
  return phase !== null;
}

/** Records a phase around its work; a phase that ended in an earlier life of control is only done again. */
function bootPhases(ctx: Context, runId: string, attempt: number, signal: AbortSignal) {
  return async (id: VerlPhase, work: (progress: (detail: string) => void) => Promise<void>) => {
    const tell = (state: "start" | "progress" | "end" | "fail", detail: string | null) =>
      recordBootPhase(ctx, runId, attempt, id, state, new Date(), detail);
    await tell("start", null);
    // One after the other: what is told last stands last.
    let telling = Promise.resolve();
    try {
      await work((detail) => {
        telling = telling
          .then(() => tell("progress", detail))
          .catch((error: unknown) =>
            ctx.log.debug({ err: error, runId }, "progress was not recorded"),
          );
      });
      await telling;
    } catch (error) {
      if (!signal.aborted) await tell("fail", null);
      throw error;
    }
    const known = await ctx.db.bootPhase.findUnique({
      where: { runId_attempt_phase: { runId, attempt, phase: id } },
    });
    if (known?.state !== "done") await tell("end", null);
  };
}
