import { MODE_SINGLE_OUTPUT } from "@liverl/contract/rollout";
import type { Call, Segment } from "@liverl/contract/trajectory";

/**
 * For trainers that take one sequence of a rollout: the main line's path with the most tokens that train, the last of
 * equals. The others stay with the reason, and train nothing. Pure.
 */
export function keepOneSegment(segments: readonly Segment[], calls: readonly Call[]): Segment[] {
  const ofMain = new Set(
    calls.flatMap(({ kind, sampledNodeId }) => (kind === "main" ? (sampledNodeId ?? []) : [])),
  );
  const trainable = segments.filter((segment) => segment.trainable);
  const roots = trainable.filter(({ parentSegmentId }) => parentSegmentId === null);
  const main = roots.filter(({ trainedNodes }) => trainedNodes.some((id) => ofMain.has(id)));
  const [first, ...others] = main.length > 0 ? main : roots;
  if (!first) return [...segments];
  const named = others.reduce(
    (best, one) => (one.trainedTokens >= best.trainedTokens ? one : best),
    first,
  );
  return segments.map((segment) =>
    segment === named || !segment.trainable
      ? segment
      : {
          ...segment,
          trainedNodes: [],
          ...(segment.recomputed && { recomputed: [] }),
          trainedTokens: 0,
          trainable: false,
          reason: MODE_SINGLE_OUTPUT,
        },
  );
}
