import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { ModelUse } from "#harbor-files/trial-record.ts";

/** The part of a trial's trajectory that belongs to one step of its task. Pure. */
export function trajectoryOfStep(trajectory: ProxyTrajectory, step: string): ProxyTrajectory {
  const parents = new Map(trajectory.nodes.map(({ id, parentId }) => [id, parentId]));
  const rootOf = (node: number): number => {
    let at = node;
    for (let up = parents.get(at); up !== null && up !== undefined; up = parents.get(at)) at = up;
    return at;
  };
  const calls = trajectory.calls.filter(({ taskStep }) => taskStep === step);
  const roots = new Set(
    calls.flatMap(({ promptNodeId }) => (promptNodeId === null ? [] : rootOf(promptNodeId))),
  );
  return {
    ...trajectory,
    calls,
    nodes: trajectory.nodes.filter(({ id }) => roots.has(rootOf(id))),
    segments: trajectory.segments.filter(({ path: [root = -1] }) => roots.has(root)),
  };
}

/** Tokens that were given and sampled, each counted once. Pure. */
export function useOf({ nodes }: Pick<ProxyTrajectory, "nodes">): ModelUse {
  const sum = (kind: "given" | "sampled") =>
    nodes.reduce((total, node) => total + (node.kind === kind ? node.tokenIds.length : 0), 0);
  return { inputTokens: sum("given"), cachedTokens: null, outputTokens: sum("sampled") };
}
