import { AppError } from "@liverl/contract/app-error";
import { isTerminal, type ResumeRun, RunStatus } from "@liverl/contract/run";
import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";
import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { moveRun } from "#runs/move-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { whileHeld } from "#runs/while-held.ts";

/** Queues an ended run again, from a checkpoint: the newest complete one, or that of `step`. */
export function resumeRun(
  ctx: Context & { actor: string },
  input: ResumeRun,
): Promise<Record<string, never>> {
  return whileHeld(ctx, input.id, () => resume(ctx, input));
}

async function resume(
  ctx: Context & { actor: string },
  { id, step }: ResumeRun,
): Promise<Record<string, never>> {
  const run = await getRunRow(ctx, id);
  if (run.driver === "attached")
    throw new AppError("CONFLICT", {
      userMessage: "An attached run is only watched: resume it where it runs.",
    });
  if (!isTerminal(RunStatus.parse(run.status)))
    throw new AppError("CONFLICT", {
      userMessage: `${id} is ${run.status}; only an ended run can be resumed.`,
    });
  if (run.status === "succeeded")
    throw new AppError("CONFLICT", {
      userMessage: `${id} did what its plan asks for: fork it from a checkpoint to train on.`,
    });
  const complete = (await findCheckpoints(ctx.config.dataDir, id)).filter(
    (checkpoint) => checkpoint.complete,
  );
  const chosen =
    step === undefined ? complete.at(-1) : complete.find((checkpoint) => checkpoint.step === step);
  if (!chosen) {
    const words =
      step === undefined
        ? `${id} has no complete checkpoint`
        : `${id} has no complete checkpoint of step ${step}`;
    throw new AppError("CONFLICT", {
      userMessage: `${words}: launch a new run from its values instead.`,
    });
  }
  const moved = await moveRun(ctx, id, {
    to: "queued",
    reason: `resumes from step ${chosen.step}`,
    actor: ctx.actor,
    change: {
      ...{ resumeFrom: String(chosen.step), stopMode: null, released: false, crashes: 0 },
      // An imported run is one of this LiveRL from here on.
      importedAt: null,
    },
  });
  if (!moved) throw new AppError("CONFLICT", { userMessage: `${id} was already resumed.` });
  await recordRunEvent(ctx, id, {
    kind: "resume",
    actor: ctx.actor,
    step: chosen.step,
    message: `resume from the checkpoint of step ${chosen.step}`,
  });
  ctx.wakeDrivers();
  return {};
}
