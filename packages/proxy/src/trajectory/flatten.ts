import type { FlatSegment } from "@liverl/contract/rollout";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import { flattenRoutedExperts } from "#trajectory/flatten-routed-experts.ts";

/**
 * One segment as four lists of equal length. `logprobs` and `policyVersions` are null on given tokens;
 * `mask` is 1 on the sampled tokens that this segment trains. Throws where there is no such segment.
 */
export function flattenSegment(trajectory: ProxyTrajectory, segmentId: number): FlatSegment {
  const segment = trajectory.segments.find(({ id }) => id === segmentId);
  if (!segment) throw new Error(`session ${trajectory.sessionId} has no segment ${segmentId}`);
  const flat: FlatSegment = {
    credit: {
      segmentId,
      segments: trajectory.segments.length,
      parentSegmentId: segment.parentSegmentId,
      trainedTokens: segment.trainedTokens,
      rolloutTrainedTokens: trajectory.segments.reduce(
        (sum, other) => sum + other.trainedTokens,
        0,
      ),
    },
    tokenIds: [],
    mask: [],
    logprobs: [],
    policyVersions: [],
    reward: trajectory.reward?.reward ?? null,
    trainable: segment.trainable,
    reason: segment.reason,
  };
  const byId = new Map(trajectory.nodes.map((node) => [node.id, node]));
  const trained = new Set(segment.trainedNodes);
  for (const id of segment.path) {
    const node = byId.get(id);
    if (!node) throw new Error(`session ${trajectory.sessionId} has no node ${id}`);
    const sampled = node.kind === "sampled" ? node : null;
    const mask = trained.has(id) ? 1 : 0;
    for (let i = 0; i < node.tokenIds.length; i++) {
      flat.tokenIds.push(node.tokenIds[i] ?? -1);
      flat.mask.push(mask);
      flat.logprobs.push(sampled?.logprobs[i] ?? null);
      flat.policyVersions.push(sampled?.policyVersions[i] ?? null);
    }
  }
  const path = segment.path.flatMap((id) => byId.get(id) ?? []);
  const routedExperts = flattenRoutedExperts(path);
  return routedExperts === undefined ? flat : { ...flat, routedExperts };
}
