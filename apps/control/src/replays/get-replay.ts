import { AppError } from "@liverl/contract/app-error";
import type { ReplayRow, ReplayView } from "@liverl/contract/replay";
import type { Context } from "#context.ts";
import { viewReplay, viewReplayRow } from "#replays/view-replay.ts";
import { openRunTokenizer } from "#trajectories/open-run-tokenizer.ts";

const MOST_LISTED = 100;

/** A replay with the original and every completion so far. */
export async function getReplay(
  ctx: Pick<Context, "db" | "config">,
  { id }: { id: string },
): Promise<ReplayView> {
  const row = await ctx.db.replay.findUnique({
    where: { id },
    include: { samples: { orderBy: { index: "asc" } } },
  });
  if (!row) throw new AppError("NOT_FOUND", { userMessage: `There is no replay ${id}.` });
  return viewReplay(row, await openRunTokenizer(ctx, row.runId));
}

/** Of one rollout, newest first. */
export async function listReplays(
  { db }: Pick<Context, "db">,
  { rolloutId }: { rolloutId: string },
): Promise<{ replays: ReplayRow[] }> {
  const rows = await db.replay.findMany({
    where: { rolloutId },
    orderBy: { createdAt: "desc" },
    take: MOST_LISTED,
    include: { _count: { select: { samples: true } } },
  });
  return { replays: rows.map(({ _count, ...row }) => viewReplayRow(row, _count.samples)) };
}
