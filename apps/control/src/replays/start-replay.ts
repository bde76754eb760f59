import { randomBytes } from "node:crypto";
import { AppError } from "@liverl/contract/app-error";
import { MOST_REPLAY_TOKENS, type ReplaySampling, type StartReplay } from "@liverl/contract/replay";
import type { Context } from "#context.ts";
import { judgeWeights } from "#replays/judge-weights.ts";
import { openReplaySource, type ReplaySource } from "#replays/replay-source.ts";

/** Of everybody together, those under way among them. */
const MOST_OPEN = 50;

/** Queues a turn to be sampled again. What can not work is refused here, before anything is queued. */
export async function startReplay(
  ctx: Context & { actor: string },
  input: StartReplay,
): Promise<{ id: string }> {
  const { rolloutId, turn, weights, n } = input;
  const rollout = await ctx.db.rollout.findUnique({ where: { rolloutId } });
  const source = await openReplaySource(ctx, input);
  if (rollout === null || rollout.runId === null)
    throw new AppError("CONFLICT", {
      userMessage: `${rolloutId} belongs to no run, and replays are kept with a run.`,
    });
  const { weightsSha256, maxModelLen } = await judgeWeights(
    ctx,
    weights,
    source.trajectory.model.tokenizerSha256,
  );
  const sampling = chooseSampling(input, source, maxModelLen);
  const open = { status: { in: ["queued", "sampling"] } };
  if ((await ctx.db.replay.count({ where: open })) >= MOST_OPEN)
    throw new AppError("TOO_MANY_REQUESTS", {
      userMessage: `${MOST_OPEN} replays are open already: try again when some are done, or cancel them.`,
    });
  const { node, segmentId, promptIds, promptSha256, stopReason } = source;
  const { id } = await ctx.db.replay.create({
    data: {
      ...{ id: randomBytes(8).toString("hex"), runId: rollout.runId, rolloutId, segmentId, turn },
      ...{ nodeId: node.id, weights, weightsSha256, sampling, n, promptSha256 },
      promptTokens: promptIds.length,
      original: {
        ...{ tokenIds: node.tokenIds, logprobs: node.logprobs, versions: node.policyVersions },
        ...{ stopReason, sampling: source.sampling },
      },
      actor: ctx.actor,
    },
  });
  ctx.wakeDrivers();
  return { id };
}

/** As the original was sampled, but for what is asked otherwise. Throws BAD_REQUEST where the context has no room. */
function chooseSampling(
  { temperature, topP, maxTokens }: StartReplay,
  { sampling, promptIds }: ReplaySource,
  maxModelLen: number | null,
): ReplaySampling {
  const room = maxModelLen === null ? MOST_REPLAY_TOKENS : maxModelLen - promptIds.length;
  if (room < 1 || (maxTokens ?? 0) > room)
    throw new AppError("BAD_REQUEST", {
      userMessage: `maxTokens: this model has a context of ${maxModelLen} tokens and the prompt takes ${promptIds.length}: there is room for ${Math.max(0, room)}.`,
    });
  return {
    ...sampling,
    temperature: temperature ?? sampling.temperature,
    top_p: topP ?? sampling.top_p,
    max_tokens: maxTokens ?? Math.min(sampling.max_tokens, room, MOST_REPLAY_TOKENS),
  };
}
