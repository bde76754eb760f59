import type { NodeOutline, SessionOutline } from "@liverl/contract/session-view";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import { countLossy } from "#tree/lossy-tokens.ts";

type Node = ProxyTrajectory["nodes"][number];

/** A trajectory without tokens and messages. A live one has no end yet. */
export function outlineSession(
  { format: _, ...trajectory }: ProxyTrajectory,
  live: boolean,
): SessionOutline {
  const trained = new Set(trajectory.segments.flatMap(({ trainedNodes }) => trainedNodes));
  const tokensOf = new Map(trajectory.nodes.map((node) => [node.id, node.tokenIds.length]));
  return {
    ...trajectory,
    live,
    reward: live ? null : trajectory.reward,
    termination: live ? null : trajectory.termination,
    nodes: trajectory.nodes.map((node) => outlineNode(node, trained.has(node.id))),
    calls: trajectory.calls.map(({ requestIds, sampling, requested, ...call }) => call),
    segments: trajectory.segments.map(({ path, trainedNodes, recomputed, ...segment }) => ({
      ...segment,
      leafNodeId: path.at(-1) ?? -1,
      tokens: path.reduce((sum, id) => sum + (tokensOf.get(id) ?? 0), 0),
    })),
  };
}

function outlineNode(node: Node, trained: boolean): NodeOutline {
  const { id, parentId, kind, role } = node;
  const lossy = countLossy([node]);
  const common = { id, parentId, kind, role, tokens: node.tokenIds.length, trained };
  return node.kind === "sampled"
    ? {
        ...common,
        versions: runsOf(node.policyVersions),
        reason: null,
        linkedFrom: null,
        callId: node.callId,
      }
    : {
        ...common,
        versions: [],
        reason: node.reason,
        linkedFrom: node.linkedFrom,
        callId: null,
        ...(lossy && { lossy }),
      };
}

function runsOf(versions: readonly (number | null)[]): NodeOutline["versions"] {
  const runs: NodeOutline["versions"] = [];
  for (const version of versions) {
    const last = runs.at(-1);
    if (last && last[0] === version) last[1] += 1;
    else runs.push([version, 1]);
  }
  return runs;
}
