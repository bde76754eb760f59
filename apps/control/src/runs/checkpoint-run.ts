import { AppError } from "@liverl/contract/app-error";
import type { Context } from "#context.ts";
import { sendTrainerCommand } from "#drivers/embedded/send-trainer-command.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

/** Asks the trainer for a checkpoint at the end of its current step. */
export async function checkpointRun(
  ctx: Context & { actor: string },
  { id }: { id: string },
): Promise<Record<string, never>> {
  const run = await getRunRow(ctx, id);
  if (run.driver !== "embedded")
    throw new AppError("CONFLICT", {
      userMessage:
        run.driver === "attached"
          ? "An attached run is only watched: its own trainer writes the checkpoints."
          : "verl writes checkpoints every trainer.save_freq steps and can not be asked for one.",
    });
  if (run.status !== "running")
    throw new AppError("CONFLICT", {
      userMessage: `${id} is ${run.status}; only a running run can write a checkpoint.`,
    });
  await sendTrainerCommand(ctx.config.dataDir, id, "checkpoint-now");
  await recordRunEvent(ctx, id, {
    kind: "checkpoint-requested",
    actor: ctx.actor,
    message: "checkpoint after this step",
  });
  return {};
}
