import { createHash } from "node:crypto";
import { AppError } from "@liverl/contract/app-error";
import { type OfTurn, ReplaySampling } from "@liverl/contract/replay";
import type { ProxyTrajectory, SampledNode } from "@liverl/contract/trajectory";
import type { Context } from "#context.ts";
import { getSegment } from "#trajectories/get-segment.ts";
import type { TokenBytes } from "#trajectories/open-tokenizer.ts";
import { nodesOf } from "#trajectories/segment-path.ts";

/** A recorded turn with what its model call was given. */
export interface ReplaySource {
  trajectory: ProxyTrajectory;
  segmentId: number;
  node: SampledNode;
  /** The ids that the engine was given, from the trajectory's first token on. */
  promptIds: number[];
  promptSha256: string;
  sampling: ReplaySampling;
  stopReason: string | null;
  tokenizer: TokenBytes | null;
}

/** Throws NOT_FOUND where the rollout has no such turn, CONFLICT where its call can not be sampled again. */
export async function openReplaySource(
  ctx: Pick<Context, "db" | "config" | "runner">,
  { rolloutId, segmentId, turn }: OfTurn,
): Promise<ReplaySource> {
  const { trajectory, segment, tokenizer } = await getSegment(ctx, { rolloutId, segmentId });
  const path = nodesOf(trajectory, segment);
  const sampled = path.flatMap((node) => (node.kind === "sampled" ? node : []));
  const node = sampled[turn - 1];
  if (!node)
    throw new AppError("NOT_FOUND", {
      userMessage:
        sampled.length === 0
          ? `Segment ${segment.id} of ${rolloutId} has no sampled turn.`
          : `Segment ${segment.id} of ${rolloutId} has no turn ${turn}: its turns are 1 to ${sampled.length}.`,
    });
  const promptIds = path.slice(0, path.indexOf(node)).flatMap(({ tokenIds }) => tokenIds);
  const call = trajectory.calls.find(({ id }) => id === node.callId);
  const sampling = ReplaySampling.safeParse(call?.sampling);
  if (!call || !sampling.success)
    throw new AppError("CONFLICT", {
      userMessage: `The record of turn ${turn} does not say how it was sampled, so it can not be sampled again.`,
    });
  return {
    ...{ trajectory, node, promptIds, tokenizer },
    segmentId: segment.id,
    promptSha256: hashIds(promptIds),
    sampling: sampling.data,
    stopReason: call.stopReason,
  };
}

const hashIds = (ids: readonly number[]) =>
  createHash("sha256").update(ids.join(",")).digest("hex");
