import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { type RunEventView, viewRunEvent } from "#runs/view-run-event.ts";

const DEFAULT_LIMIT = 1000;
const MOST_ANNOTATIONS = 1000;

/** The newest events of a run, oldest first; and every annotation, however old: charts show them all. */
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
  const oldest = rows.at(-1)?.id ?? 0;
  const before = await ctx.db.runEvent.findMany({
    where: { runId: input.id, kind: "annotation", id: { lt: oldest } },
    orderBy: { id: "asc" },
    take: MOST_ANNOTATIONS,
  });
  return { events: [...before, ...rows.reverse()].map(viewRunEvent) };
}
