import { mkdir, rename, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedSpec } from "@liverl/contract/launch";
import { isMissing } from "@liverl/durable/atomic-file";
import { loadOrCreateToken } from "@liverl/durable/http-token";
import {
  forgetRecorded,
  isAlive,
  type ProcessRecord,
  recoverRecord,
} from "@liverl/durable/process";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { untilAvailable } from "#data-plane/until-available.ts";
import { isDatabaseAway } from "#database/is-database-away.ts";
import { bringOrigin } from "#drivers/embedded/bring-origin.ts";
import type { Ending } from "#drivers/embedded/ending.ts";
import { prepareModel } from "#drivers/embedded/prepare-model.ts";
import { recordBootPhase } from "#drivers/embedded/record-boot-phase.ts";
import { processName, type RunFiles, runFiles } from "#drivers/embedded/run-files.ts";
import type { RunProcesses } from "#drivers/embedded/run-processes.ts";
import { setAsideCheckpoints } from "#drivers/embedded/set-aside-checkpoints.ts";
import { startTrainer } from "#drivers/embedded/start-trainer.ts";
import { findEnding, stopNowEnding, watchAttempt } from "#drivers/embedded/watch-attempt.ts";
import { completeEndedRun } from "#rollouts/compute-group-series.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { moveRun } from "#runs/move-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { loadSignals } from "#verdict/load-signals.ts";
import { presentLine } from "#verdict/present-line.ts";

const MAX_CRASHES = 20;
const MAX_BACKOFF_MS = 10_000;
const ACTOR = "control";

/**
 * Brings one run from queued to its end: model folder, engines, registration at the runner, trainer; restarts a trainer
 * that died; judges the end by `result.json` alone. May be called again for a run that is already under way, after a
 * restart of control: what lives is adopted. Rejects when `signal` fires; the processes live on then.
 */
export async function conductRun(
  ctx: Context,
  runId: string,
  processes: RunProcesses,
  signal: AbortSignal,
): Promise<void> {
  const files = runFiles(ctx.config.dataDir, runId);
  const run = await getRunRow(ctx, runId);
  if (run.status === "queued") {
    // While it is still queued, so that a kill in between only does it again: an attempt under way is judged by what lies here.
    await clearFormerLife(ctx, run, files);
    if (!(await moveRun(ctx, runId, { to: "booting", reason: null, actor: ACTOR }))) return;
  }
  const ending = await bootAndTrain(ctx, runId, files, processes, signal).catch(
    (error: unknown): Ending => {
      // A database that is away says nothing of the run: it is taken up again where it stands.
      if (signal.aborted || isDatabaseAway(error)) throw error;
      ctx.log.error({ err: error, runId }, "run failed");
      return {
        to: "failed",
        reason:
          error instanceof Error && "userMessage" in error
            ? String(error.userMessage)
            : "booting failed; the control log has the details",
      };
    },
  );
  signal.throwIfAborted();
  processes.setTrainer(null, "exited");
  const released = (await getRunRow(ctx, runId)).stopMode === "now" || ending.to === "failed";
  // Nobody saw it train: it did so while control was away.
  if (ending.to === "succeeded")
    await moveRun(ctx, runId, { to: "running", reason: null, actor: ACTOR });
  const moved = await moveRun(ctx, runId, {
    to: ending.to,
    reason: ending.reason,
    actor: ACTOR,
    change: { released, heldOutReward: ending.heldOutReward ?? null },
  });
  if (!moved) throw new Error(`${runId} could not be moved to ${ending.to} (${ending.reason})`);
  await completeEndedRun(ctx, runId);
}

/** An earlier end of this run must not be taken for the end of the attempt that begins now. Doing it again changes nothing. */
async function clearFormerLife(ctx: Context, run: Run, files: RunFiles): Promise<void> {
  await rename(files.result, `${files.result}.${run.attempt}`).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  await rm(files.commands, { force: true });
  const step = Number(run.resumeFrom ?? Number.NaN);
  if (Number.isInteger(step))
    await setAsideCheckpoints(ctx.config.dataDir, run.id, step, run.attempt + 1);
}

async function bootAndTrain(
  ctx: Context,
  runId: string,
  files: RunFiles,
  processes: RunProcesses,
  signal: AbortSignal,
): Promise<Ending> {
  const run = await getRunRow(ctx, runId);
  const spec = EmbeddedSpec.parse(run.spec);
  const adopted = await livingTrainer(ctx, runId);
  const ended = adopted ? null : await findEnding(ctx, runId, files);
  if (ended) return ended;
  const attempt = adopted ? run.attempt : run.attempt + 1;
  const phase = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    if (!adopted) await recordBootPhase(ctx, runId, attempt, id, "start", new Date(), null);
    try {
      const result = await work();
      if (!adopted) await recordBootPhase(ctx, runId, attempt, id, "end", new Date(), null);
      return result;
    } catch (error) {
      if (!signal.aborted) await recordBootPhase(ctx, runId, attempt, id, "fail", new Date(), null);
      throw error;
    }
  };
  await phase("preflight", async () => {
    await mkdir(files.logs, { recursive: true });
    await mkdir(files.checkpoints, { recursive: true });
    await mkdir(files.weights, { recursive: true });
    await mkdir(files.warmup, { recursive: true });
    await bringOrigin(ctx.config.dataDir, runId, spec, files);
    await loadOrCreateToken(files.engineKey);
  });
  const { maxModelLen } = await phase("model", () => prepareModel(ctx.config, files));
  // Engines that start after this stop would outlive it.
  signal.throwIfAborted();
  const ports = await phase("engines", () => processes.startEngines(spec.rollout.engines, signal));
  await phase("proxy", () =>
    untilAvailable(signal, () =>
      ctx.runner.registerRun(runId, {
        project: spec.project,
        pool: {
          engines: ports.map((port) => ({ url: `http://127.0.0.1:${port}` })),
          engineKeyPath: files.engineKey,
          modelDir: files.model,
          modelName: "liverl-repair",
          maxModelLen,
        },
        concurrency: spec.rollout.concurrency,
        maxTurns: spec.rollout.max_turns,
        rolloutTimeoutS: 300,
      }),
    ),
  );
  return trainToTheEnd(ctx, runId, files, processes, ports, signal);
}

async function livingTrainer(ctx: Context, runId: string): Promise<ProcessRecord | null> {
  const record = await recoverRecord(ctx.config.processes, processName(runId, "trainer"));
  return record && (await isAlive(record)) ? record : null;
}

async function trainToTheEnd(
  ctx: Context,
  runId: string,
  files: RunFiles,
  processes: RunProcesses,
  ports: readonly number[],
  signal: AbortSignal,
): Promise<Ending> {
  let backoffMs = 250;
  for (;;) {
    // Asked before the result is read: a trainer that ends between the two has written it.
    const living = await livingTrainer(ctx, runId);
    const ended = living ? null : await findEnding(ctx, runId, files);
    if (ended) return ended;
    const stopped = await stopNowEnding(ctx, runId);
    if (stopped) return stopped;
    if (!living) await noteInterruption(ctx, runId);
    signal.throwIfAborted();
    const { attempt, record } = living
      ? { attempt: (await getRunRow(ctx, runId)).attempt, record: living }
      : await startTrainer(ctx, runId, files, ports);
    processes.setTrainer(record, "up");
    const began = Date.now();
    const result = await watchAttempt(ctx, runId, files, attempt, record, signal);
    if (result) return result;
    processes.setTrainer(null, "restarting");
    await forgetRecorded(ctx.config.processes, processName(runId, "trainer"));
    const run = await ctx.db.run.update({
      where: { id: runId },
      data: { crashes: { increment: 1 } },
    });
    await recordRunEvent(ctx, runId, {
      kind: "crash",
      actor: ACTOR,
      step: await lastStepOf(ctx, runId),
      message: `the trainer of attempt ${attempt} ended without a result (death ${run.crashes} of ${MAX_CRASHES})`,
      sourceKey: `crash:${attempt}`,
    });
    if (run.crashes >= MAX_CRASHES)
      return { to: "failed", reason: `the trainer died ${run.crashes} times; its log says why` };
    backoffMs = Date.now() - began > 60_000 ? 250 : Math.min(backoffMs * 2, MAX_BACKOFF_MS);
    await sleep(backoffMs, undefined, { signal });
    await recordRunEvent(ctx, runId, {
      kind: "restart",
      actor: ACTOR,
      message: `trainer restarts as attempt ${attempt + 1} from its newest checkpoint`,
      sourceKey: `restart:${attempt + 1}`,
    });
  }
}

/** The newest step of what the run is now; null before its first. */
async function lastStepOf({ pool }: Pick<Context, "pool">, runId: string): Promise<number | null> {
  const known = (await loadSignals(pool, [runId])).get(runId);
  return known ? presentLine(known).lastStep : null;
}

/** A run that is under way but has no trainer and no record of a death was interrupted by an orderly stop of LiveRL. */
async function noteInterruption(ctx: Context, runId: string): Promise<void> {
  const run = await getRunRow(ctx, runId);
  if (run.status !== "running") return;
  const crashed = await ctx.db.runEvent.findFirst({
    where: { runId, sourceKey: `crash:${run.attempt}` },
  });
  if (crashed) return;
  await recordRunEvent(ctx, runId, {
    kind: "restart",
    actor: ACTOR,
    message: "goes on from its newest checkpoint: LiveRL was stopped meanwhile",
    sourceKey: `restart:${run.attempt + 1}`,
  });
}
