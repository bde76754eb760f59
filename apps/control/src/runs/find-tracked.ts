import type { FindTracked } from "@liverl/contract/run";
import type { Context } from "#context.ts";

/** Where the run is that a tracker's client has printed a link to; null where it logged none such. */
export async function findTracked(
  ctx: Context,
  { source, key }: FindTracked,
): Promise<{ project: string; runId: string } | null> {
  const found = await ctx.db.trackedRun.findUnique({
    where: { source_key: { source, key } },
    select: { run: { select: { id: true, project: true } } },
  });
  return found && { project: found.run.project, runId: found.run.id };
}
