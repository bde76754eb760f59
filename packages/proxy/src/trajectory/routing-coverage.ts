import type { FlatSegment } from "@liverl/contract/rollout";

/** Share of the tokens that train which lie in a segment with expert routing throughout; null where none was asked for. Pure. */
export function routingCoverage(segments: readonly FlatSegment[]): number | null {
  const asked = segments.filter(
    ({ trainable, routedExperts }) => trainable && routedExperts !== undefined,
  );
  const tokens = (part: readonly FlatSegment[]) =>
    part.reduce((sum, { credit }) => sum + (credit?.trainedTokens ?? 0), 0);
  const all = tokens(asked);
  return all === 0 ? null : tokens(asked.filter(({ routedExperts }) => routedExperts)) / all;
}
