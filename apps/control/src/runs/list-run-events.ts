import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { type RunEventView, viewRunEvent } from "#runs/view-run-event.ts";

const DEFAULT_LIMIT = 1000;

/** The newest events of a run, oldest first. */
export async function listRunEvents(
  ctx: Pick<Context, "db">,
  input: { id: string; limit?: number | undefined },
): Promise<{ events: RunEventView[] }> {
  await getRunRow(ctx, input.id);
  const rows = await ctx.db.runEvent.findMany({
    where: { runId: input.id },
    orderBy: { id: "desc" },
    take: input.limit ?? DEFAULT_LIMIT,
  });
  return { events: rows.reverse().map(viewRunEvent) };
}
