import { AppError } from "@liverl/contract/app-error";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { OfSegment } from "@liverl/contract/turn-view";
import type { Context } from "#context.ts";
import { openRecord } from "#trajectories/open-record.ts";
import { openRunTokenizer } from "#trajectories/open-run-tokenizer.ts";
import type { TokenBytes } from "#trajectories/open-tokenizer.ts";
import { findSegment, type Segment } from "#trajectories/segment-path.ts";

/** One segment of a rollout with its tokens, and what their ids stand for. NOT_FOUND where it has none. */
export async function getSegment(
  ctx: Pick<Context, "db" | "config" | "runner">,
  { rolloutId, segmentId }: OfSegment,
): Promise<{ trajectory: ProxyTrajectory; segment: Segment; tokenizer: TokenBytes | null }> {
  const row = await ctx.db.rollout.findUnique({ where: { rolloutId } });
  if (!row) throw new AppError("NOT_FOUND", { userMessage: `There is no rollout ${rolloutId}.` });
  const record = await openRecord(ctx, row);
  const segment = record && findSegment(record.trajectory, segmentId, record.live);
  if (!segment)
    throw new AppError("NOT_FOUND", {
      userMessage:
        segmentId === undefined
          ? `${rolloutId} has no tokens yet.`
          : `${rolloutId} has no segment ${segmentId}.`,
    });
  const tokenizer = row.runId === null ? null : await openRunTokenizer(ctx, row.runId);
  return { trajectory: record.trajectory, segment, tokenizer };
}
