import type { Context } from "#context.ts";
import type { FoldOutcome } from "#metrics/fold-records.ts";
import { viewRunEvent } from "#runs/view-run-event.ts";

/** Tells the streams what a fold made visible. */
export function publishFold(ctx: Pick<Context, "live" | "db" | "log">, outcome: FoldOutcome): void {
  for (const [runId, series] of outcome.points) {
    let seq = 0;
    for (const columns of series.values()) for (const one of columns.seq) seq = Math.max(seq, one);
    ctx.live.emit("points", { runId, seq, series });
    ctx.live.emit("run", runId);
  }
  if (outcome.eventIds.length === 0) return;
  ctx.db.runEvent.findMany({ where: { id: { in: outcome.eventIds } } }).then(
    (rows) => {
      for (const row of rows) ctx.live.emit("event", row.runId, viewRunEvent(row));
    },
    (error: unknown) => ctx.log.warn({ err: error }, "events of a fold were not published"),
  );
}
