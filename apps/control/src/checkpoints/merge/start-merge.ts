import { AppError } from "@liverl/contract/app-error";
import { ACTIVE_MERGES } from "@liverl/contract/views";
import { findHf } from "#checkpoints/hf/find-hf.ts";
import { mergeableSpec, needShards } from "#checkpoints/merge/judge-merge.ts";
import { mergeFiles } from "#checkpoints/merge/merge-files.ts";
import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";

/** Queues the merge of a checkpoint. Asked again while one waits, runs or is done, it answers with that one. */
export async function startMerge(
  ctx: Context & { actor: string },
  { runId, step }: { runId: string; step: number },
): Promise<{ status: "queued" | "done" }> {
  const run = await getRunRow(ctx, runId);
  const spec = mergeableSpec(run);
  if (typeof spec === "string") throw new AppError("CONFLICT", { userMessage: spec });
  const files = mergeFiles(ctx.config.dataDir, runId, step);
  if ((await findHf(files.checkpoint)) !== null) return { status: "done" };
  await needShards(files.checkpoint);
  const fresh = {
    status: "queued",
    detail: null,
    share: null,
    actor: ctx.actor,
    queuedAt: new Date(),
    startedAt: null,
    endedAt: null,
  };
  const { count } = await ctx.db.checkpointMerge.createMany({
    data: [{ runId, step, ...fresh }],
    skipDuplicates: true,
  });
  if (count === 0)
    await ctx.db.checkpointMerge.updateMany({
      where: { runId, step, status: { notIn: [...ACTIVE_MERGES] } },
      data: fresh,
    });
  ctx.wakeDrivers();
  return { status: "queued" };
}
