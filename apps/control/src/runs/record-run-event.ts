import type { RunEventKind } from "@liverl/contract/run";
import type { z } from "zod";
import type { Context } from "#context.ts";
import { viewRunEvent } from "#runs/view-run-event.ts";

export interface NewRunEvent {
  kind: z.infer<typeof RunEventKind>;
  message: string;
  actor: string;
  step?: number | null;
  at?: Date;
  /** Identity at the source: an event with a key that is there is not recorded again. */
  sourceKey?: string;
}

/** Appends events to a run and tells everyone who watches it. */
export async function recordRunEvents(
  ctx: Pick<Context, "db" | "live">,
  runId: string,
  events: readonly NewRunEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = await ctx.db.runEvent.createManyAndReturn({
    data: events.map((event) => ({ runId, ...event })),
    skipDuplicates: true,
  });
  for (const row of rows) ctx.live.emit("event", runId, viewRunEvent(row));
  ctx.live.emit("run", runId);
}

export function recordRunEvent(
  ctx: Pick<Context, "db" | "live">,
  runId: string,
  event: NewRunEvent,
): Promise<void> {
  return recordRunEvents(ctx, runId, [event]);
}
