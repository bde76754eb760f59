import type { AnnotateRun } from "@liverl/contract/run";
import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

/** Writes a person's words at a step: an event of the run, shown on every chart. */
export async function annotateRun(
  ctx: Pick<Context, "db" | "live"> & { actor: string },
  { id, step, text }: AnnotateRun,
): Promise<Record<string, never>> {
  await getRunRow(ctx, id);
  await recordRunEvent(ctx, id, { kind: "annotation", step, actor: ctx.actor, message: text });
  return {};
}
