import type { FlatSegment } from "@liverl/contract/rollout";
import type { ProxyTrajectory, Segment } from "@liverl/contract/trajectory";
import { flattenRoutedExperts } from "#trajectory/flatten-routed-experts.ts";
import { recomputedScores } from "#tree/lossy-tokens.ts";

/**
 * One segment as lists of equal length. `logprobs` and `policyVersions` are null on given tokens, but for recomputed ones
 * that train; `mask` is 1 on the tokens that this segment trains. Throws where there is no such segment.
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
  markRecomputed(flat, path, segment.recomputed);
  const routedExperts = flattenRoutedExperts(path);
  return routedExperts === undefined ? flat : { ...flat, routedExperts };
}

/** A token of a lossy turn trains where an engine gave its log-prob. */
function markRecomputed(
  flat: FlatSegment,
  path: readonly ProxyTrajectory["nodes"][number][],
  turns: Segment["recomputed"],
): void {
  if (!turns) return;
  const isRecomputed: (0 | 1)[] = flat.mask.map(() => 0);
  let start = 0;
  for (const node of path) {
    const spans = turns.filter(([nodeId]) => nodeId === node.id);
    const version = node.kind === "given" ? (node.recomputed?.version ?? null) : null;
    for (const [at, logprob] of spans.length > 0 ? recomputedScores(node) : []) {
      if (logprob === null || !spans.some(([, from, to]) => at >= from && at < to)) continue;
      flat.mask[start + at] = 1;
      flat.logprobs[start + at] = logprob;
      flat.policyVersions[start + at] = version;
      isRecomputed[start + at] = 1;
    }
    start += node.tokenIds.length;
  }
  flat.recomputed = isRecomputed;
}
