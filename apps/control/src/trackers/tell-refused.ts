import type { Context } from "#context.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

/** Says once in a run's events that points of further keys are not kept. */
export async function tellRefused(
  ctx: Pick<Context, "db" | "live"> & { actor: string },
  runId: string,
  refused: string | null,
): Promise<void> {
  if (refused === null) return;
  await recordRunEvent(ctx, runId, {
    ...{ kind: "alert", actor: ctx.actor, sourceKey: "too-many-keys" },
    message: `${refused} Points of keys above that are left out.`,
  });
}
