import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Context } from "#context.ts";
import { untilAvailable } from "#data-plane/until-available.ts";
import { isDatabaseAway } from "#database/is-database-away.ts";
import type { Ending } from "#drivers/embedded/ending.ts";
import { recordBootPhase } from "#drivers/embedded/record-boot-phase.ts";
import { buildVerlJob } from "#drivers/verl/build-verl-job.ts";
import { endingOfJob } from "#drivers/verl/ending.ts";
import { explainEnd } from "#drivers/verl/explain-end.ts";
import type { JobState, VerlJob } from "#drivers/verl/job-state.ts";
import { LoggedSteps } from "#drivers/verl/logged-steps.ts";
import type { VerlPhase } from "#drivers/verl/read-boot-line.ts";
import { registerVerlRun } from "#drivers/verl/register-verl-run.ts";
import { type VerlFiles, verlFiles } from "#drivers/verl/verl-files.ts";
import { watchBoot } from "#drivers/verl/watch-boot.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { moveRun } from "#runs/move-run.ts";

const ACTOR = "control";
const POLL_MS = 1_000;
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
    const told = error instanceof Error && "userMessage" in error ? error.userMessage : null;
    return {
      to: "failed",
      reason: told === null ? "booting failed; the control log has the details" : String(told),
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
    change: { released: true },
  });
  if (!moved) throw new Error(`${runId} could not be moved to ${ending.to} (${ending.reason})`);
}

async function conduct(ctx: Context, runId: string, signal: AbortSignal): Promise<Ending> {
  const run = await getRunRow(ctx, runId);
  const spec = verlSpecOf(run.spec);
  const files = verlFiles(ctx.config.dataDir, runId);
  const { attempt } = run;
  const phase = bootPhases(ctx, runId, attempt, signal);
  await phase("preflight", async () => {
    for (const folder of [files.logs, files.checkpoints]) await mkdir(folder, { recursive: true });
    const stop = stopAsked(ctx, runId);
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
    // An environment takes minutes to make: nobody who asks for a stop meanwhile should wait for it.
    const stop = stopAsked(ctx, runId);
    try {
      await phase("venv", (progress) =>
        job.prepare(progress, AbortSignal.any([signal, stop.signal])),
      );
    } catch (error) {
      if (!stop.signal.aborted || signal.aborted) throw error;
    } finally {
      stop.forget();
    }
    signal.throwIfAborted();
    if ((await getRunRow(ctx, runId)).status === "stopping")
      return { to: "cancelled", reason: "stopped before verl was started" };
    await job.start(signal);
    await recordBootPhase(ctx, runId, attempt, "ray", "start", new Date(), null);
  }
  return await watchToTheEnd(ctx, { runId, attempt, spec, files, job }, signal);
}

/** The values that verl will see: what LiveRL prepares beside it must be the same. */
function verlSpecOf(stored: unknown): VerlSpec {
  const spec = settledSpec(stored);
  if (spec === null || spec.driver === "embedded") throw new Error("the run has no spec of verl");
  return spec;
}

/** Aborted once the run is asked to stop. `forget` ends the looking. */
function stopAsked(ctx: Context, runId: string): { signal: AbortSignal; forget: () => void } {
  const asked = new AbortController();
  const look = setInterval(() => {
    getRunRow(ctx, runId).then(
      ({ status }) => status === "stopping" && asked.abort(),
      // The database is away: the next look asks again.
      () => undefined,
    );
  }, POLL_MS);
  return { signal: asked.signal, forget: () => clearInterval(look) };
}

/** Whether an earlier life of control started this attempt's job. Where it died before it noted so, the job is found again. */
async function wasStarted(ctx: Context, runId: string, attempt: number): Promise<boolean> {
  const phase = await ctx.db.bootPhase.findUnique({
    where: { runId_attempt_phase: { runId, attempt, phase: "ray" } },
  });
  return phase !== null;
}

interface Watched {
  runId: string;
  attempt: number;
  spec: VerlSpec;
  files: VerlFiles;
  job: VerlJob;
}

async function watchToTheEnd(ctx: Context, watched: Watched, signal: AbortSignal): Promise<Ending> {
  const { runId, attempt, job } = watched;
  const done = new AbortController();
  const until = AbortSignal.any([signal, done.signal]);
  const following = [
    watchBoot(ctx, { runId, attempt, console: watched.files.console(attempt) }, until),
    job.followLog(until).catch((error: unknown) => {
      if (!until.aborted) ctx.log.warn({ err: error, runId }, "the job's log is not followed");
    }),
  ];
  try {
    return await untilEnded(ctx, watched, signal);
  } finally {
    done.abort();
    await Promise.all(following);
    // What stands open is where it ended.
    if (!signal.aborted) await closeOpenPhase(ctx, runId, attempt);
  }
}

async function untilEnded(ctx: Context, watched: Watched, signal: AbortSignal): Promise<Ending> {
  const { runId, attempt, spec, files, job } = watched;
  const plannedSteps = spec.trainer.total_training_steps;
  const steps = new LoggedSteps(files.metrics(attempt));
  /** The step that was newest when a stop after the step was asked for. */
  let stopAfter: number | null = null;
  for (;;) {
    const state: JobState = await job.state();
    const lastStep = await steps.last();
    if (state.kind === "ended") {
      const cause = lastStep >= plannedSteps ? null : await causeOf(state, files.console(attempt));
      const ending = endingOfJob({ code: state.code, lastStep, plannedSteps, cause });
      return stopAfter !== null && ending.to === "failed" && lastStep > stopAfter
        ? { to: "cancelled", reason: `stopped after step ${lastStep}` }
        : ending;
    }
    const run = await getRunRow(ctx, runId);
    if (run.status === "stopping") {
      if (run.stopMode === "now") {
        await job.stop(signal);
        return { to: "cancelled", reason: `stopped at once, after step ${lastStep}` };
      }
      stopAfter ??= lastStep;
      if (lastStep > stopAfter && lastStep < plannedSteps) {
        await job.stop(signal);
        return { to: "cancelled", reason: `stopped after step ${lastStep}` };
      }
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** The log's last exception, but where nobody saw the job end: what is known of that says more. */
async function causeOf(
  { code, detail }: JobState & { kind: "ended" },
  console: string,
): Promise<string | null> {
  const known = code === null ? detail : null;
  return known ?? (await explainEnd(console)) ?? detail;
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

async function closeOpenPhase(ctx: Context, runId: string, attempt: number): Promise<void> {
  await ctx.db.bootPhase.updateMany({
    where: { runId, attempt, state: "now" },
    data: { state: "failed", endedAt: new Date() },
  });
}
