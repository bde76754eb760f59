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
  const byId = new Map(trajectory.nodes.map((node) => [node.id, node]));
  const path = segment.path.map((id) => {
    const node = byId.get(id);
    if (!node) throw new Error(`session ${trajectory.sessionId} has no node ${id}`);
    return node;
  });
  // To concatenate copies whole arrays: `flatMap` takes ten times as long.
  const none: number[] = [];
  const tokenIds = none.concat(...path.map((node) => node.tokenIds));
  const { length } = tokenIds;
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
    tokenIds,
    mask: new Array(length).fill(0),
    logprobs: new Array(length).fill(null),
    policyVersions: new Array(length).fill(null),
    versionSpan: versionSpanOf(path.filter((node) => segment.trainedNodes.includes(node.id))),
    reward: trajectory.reward?.reward ?? null,
    trainable: segment.trainable,
    reason: segment.reason,
  };
  const trained = new Set(segment.trainedNodes);
  let start = 0;
  for (const node of path) {
    const end = start + node.tokenIds.length;
    if (trained.has(node.id)) flat.mask.fill(1, start, end);
    if (node.kind === "sampled")
      for (let at = start; at < end; at++) {
        flat.logprobs[at] = node.logprobs[at - start] ?? null;
        flat.policyVersions[at] = node.policyVersions[at - start] ?? null;
      }
    start = end;
  }
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

function versionSpanOf(nodes: ProxyTrajectory["nodes"]): [number, number] | null {
  const known = nodes.flatMap((node) =>
    node.kind === "sampled" && node.versionSpan[0] >= 0 ? node.versionSpan : [],
  );
  return known.length === 0 ? null : [Math.min(...known), Math.max(...known)];
}
