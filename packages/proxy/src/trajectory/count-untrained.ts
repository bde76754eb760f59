import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { UntrainedTokens } from "@liverl/contract/untrained-tokens";
import { lossySpans, recomputedScores } from "#tree/lossy-tokens.ts";

/** Tokens that no segment trains. A turn that the client sent again on another branch counts once. Pure. */
export function countUntrained(trajectory: ProxyTrajectory): UntrainedTokens {
  return { reasons: countSampled(trajectory), lossy: countLossy(trajectory) };
}

/** By the reason of the first segment that holds the node; of a node in no such segment, by the status of its call. */
function countSampled({ nodes, calls, segments }: ProxyTrajectory): Record<string, number> {
  const trained = new Set(segments.flatMap(({ trainedNodes }) => trainedNodes));
  const untrained = segments.filter(({ reason }) => reason !== null);
  // The first of equal keys comes last.
  const reasonOf = new Map(
    untrained.toReversed().flatMap(({ path, reason }) => path.map((id) => [id, reason] as const)),
  );
  const statusOf = new Map(calls.map(({ id, status }) => [id, status]));
  const reasons: Record<string, number> = {};
  for (const node of nodes) {
    if (node.kind !== "sampled" || trained.has(node.id) || node.tokenIds.length === 0) continue;
    const reason = reasonOf.get(node.id) ?? statusOf.get(node.callId) ?? "incomplete";
    reasons[reason] = (reasons[reason] ?? 0) + node.tokenIds.length;
  }
  return reasons;
}

function countLossy({ nodes, segments }: ProxyTrajectory): number {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const textOf = (node: (typeof nodes)[number], from: number, to: number) =>
    node.tokenIds.slice(from, to).join();
  const scoredOf = new Map<string, number>();
  for (const [id, from, to] of segments.flatMap(({ recomputed }) => recomputed ?? [])) {
    const node = byId.get(id);
    if (!node) continue;
    const scores = [...recomputedScores(node)];
    const scored = scores.filter(([at, score]) => at >= from && at < to && score !== null);
    scoredOf.set(textOf(node, from, to), scored.length);
  }
  const lossy = new Map<string, number>();
  for (const node of nodes)
    for (const [from, to] of lossySpans(node)) lossy.set(textOf(node, from, to), to - from);
  return [...lossy].reduce((sum, [text, tokens]) => sum + tokens - (scoredOf.get(text) ?? 0), 0);
}
