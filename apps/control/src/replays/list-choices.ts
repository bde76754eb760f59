import type { OfTurn, ReplayChoices } from "@liverl/contract/replay";
import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";
import type { Context } from "#context.ts";
import { tokenizerSha256 } from "#replays/checkpoint-weights.ts";
import { listReplays } from "#replays/get-replay.ts";
import { openReplaySource } from "#replays/replay-source.ts";

/** Runs whose checkpoints are offered: the rollout's own, and the newest others. */
const MOST_RUNS = 20;

/** How a turn was sampled, the checkpoints that it can be sampled again with, and its earlier replays. */
export async function listReplayChoices(
  ctx: Pick<Context, "db" | "config" | "runner">,
  input: OfTurn,
): Promise<ReplayChoices> {
  const { trajectory, node, promptIds, sampling } = await openReplaySource(ctx, input);
  const rollout = await ctx.db.rollout.findUnique({ where: { rolloutId: input.rolloutId } });
  const own = rollout?.runId ?? null;
  const runs = await ctx.db.run.findMany({
    where: { driver: "embedded" },
    select: { id: true, name: true },
    orderBy: { createdAt: "desc" },
    take: MOST_RUNS,
  });
  const ownRow = await ctx.db.run.findUnique({
    where: { id: own ?? "" },
    select: { id: true, name: true, driver: true },
  });
  const others = runs.filter(({ id }) => id !== own);
  const asked = ownRow?.driver === "embedded" ? [ownRow, ...others] : others;
  const { tokenizerSha256: recorded } = trajectory.model;
  const offered = await Promise.all(asked.map((run) => checkpointsOf(ctx, run, recorded)));
  const checkpoints = offered.flat();
  const { replays } = await listReplays(ctx, input);
  return {
    ...{ turn: input.turn, promptTokens: promptIds.length, tokens: node.tokenIds.length },
    ...{ sampling, checkpoints, replays },
    noCheckpoint:
      checkpoints.length > 0
        ? null
        : ownRow && ownRow.driver !== "embedded"
          ? "LiveRL starts engines for checkpoints of embedded runs alone: serve this run's with vLLM or sglang."
          : "No embedded run with this tokenizer has a complete checkpoint on disk.",
  };
}

async function checkpointsOf(
  { config }: Pick<Context, "config">,
  { id, name }: { id: string; name: string },
  recorded: string,
): Promise<ReplayChoices["checkpoints"]> {
  const found = (await findCheckpoints(config.dataDir, id)).filter(({ complete }) => complete);
  const newest = found.at(-1);
  // Every checkpoint of a run has the tokenizer that its model folder had.
  if (!newest || (await tokenizerSha256(newest.path)) !== recorded) return [];
  return found.reverse().map(({ step, writtenAt }) => ({
    ...{ runId: id, runName: name, step },
    writtenAt: writtenAt.toISOString(),
  }));
}
