import type { Trains } from "@liverl/contract/proxy-admin";
import type { Call, GivenNode, SampledNode, Segment } from "@liverl/contract/trajectory";
import { RecomputedTurns } from "#tree/lossy-tokens.ts";

type Node = GivenNode | SampledNode;

/**
 * Root-to-leaf paths. Every sampled token of a finished call is in a segment; a node that several share is
 * trained by the first alone. A branch that can not train stands on its own with the reason, so that it
 * costs its ancestors nothing. `kinds`: those of calls whose tokens train; with `recomputed`, scored lossy turns on their
 * paths do, too.
 */
export function buildSegments(
  nodes: readonly Node[],
  calls: readonly Call[],
  kinds: readonly Trains[],
): Segment[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const children = new Map<number, Node[]>();
  for (const node of nodes)
    if (node.parentId !== null)
      children.set(node.parentId, [...(children.get(node.parentId) ?? []), node]);
  const callOf = new Map(
    calls.flatMap((call) =>
      call.sampledNodeId === null ? [] : [[call.sampledNodeId, call] as const],
    ),
  );
  const reached = reachesDone(nodes, children, callOf);
  const unreceived = unreceivedLeaves(nodes, children, calls);
  const trains = (node: Node) => {
    if (node.kind !== "sampled" || !reached.has(node.id) || unreceived.has(node.id)) return false;
    const kind = callOf.get(node.id)?.kind;
    return kind === undefined || kinds.includes(kind);
  };

  const segments: Segment[] = [];
  const trainedBy = new Map<number, number>();
  const recomputed = new RecomputedTurns(kinds.includes("recomputed"));
  const inner = withTrainedBelow(nodes, trains);
  for (const leaf of nodes) {
    if (!trains(leaf) || inner.has(leaf.id)) continue;
    const path = pathTo(byId, leaf);
    const fresh = path.filter((node) => trains(node) && !trainedBy.has(node.id));
    const shared = path.findLast((node) => trainedBy.has(node.id));
    const id = segments.length;
    for (const node of fresh) trainedBy.set(node.id, id);
    const { spans, tokens } = recomputed.take(path);
    segments.push({
      id,
      path: path.map((node) => node.id),
      trainedNodes: fresh.map((node) => node.id),
      parentSegmentId: shared ? (trainedBy.get(shared.id) ?? null) : null,
      recomputed: spans,
      trainedTokens: fresh.reduce((sum, node) => sum + node.tokenIds.length, tokens),
      trainable: true,
      reason: null,
    });
  }
  for (const { leaf, reason } of untrainedLeaves(nodes, children, calls, trains, unreceived)) {
    const path = pathTo(byId, leaf);
    const shared = path.findLast((node) => trainedBy.has(node.id));
    segments.push({
      id: segments.length,
      path: path.map((node) => node.id),
      trainedNodes: [],
      parentSegmentId: shared ? (trainedBy.get(shared.id) ?? null) : null,
      trainedTokens: 0,
      trainable: false,
      reason,
    });
  }
  return segments;
}

function withTrainedBelow(nodes: readonly Node[], trains: (node: Node) => boolean): Set<number> {
  const inner = new Set<number>();
  for (const node of [...nodes].reverse()) {
    if (node.parentId !== null && (trains(node) || inner.has(node.id))) inner.add(node.parentId);
  }
  return inner;
}

/** Sampled nodes of finished calls, and aborted ones that a finished call extends. */
function reachesDone(
  nodes: readonly Node[],
  children: ReadonlyMap<number, Node[]>,
  callOf: ReadonlyMap<number, Call>,
): Set<number> {
  const reached = new Set<number>();
  // Children have greater ids than their parents, so one pass from the end sees each child first.
  for (const node of [...nodes].reverse()) {
    const done = node.kind === "sampled" && callOf.get(node.id)?.status === "done";
    if (done || (children.get(node.id) ?? []).some((child) => reached.has(child.id)))
      reached.add(node.id);
  }
  return reached;
}

/** Answers that may have reached no client, that no call went on from, and that were asked for and given again. */
function unreceivedLeaves(
  nodes: readonly Node[],
  children: ReadonlyMap<number, Node[]>,
  calls: readonly Call[],
): Set<number> {
  const repeated = new Set(
    calls.flatMap(({ repeats, status }) => (status === "done" ? (repeats ?? []) : [])),
  );
  return new Set(
    nodes.flatMap((node) =>
      node.kind === "sampled" && repeated.has(node.callId) && !children.has(node.id) ? node.id : [],
    ),
  );
}

function untrainedLeaves(
  nodes: readonly Node[],
  children: ReadonlyMap<number, Node[]>,
  calls: readonly Call[],
  trains: (node: Node) => boolean,
  unreceived: ReadonlySet<number>,
): { leaf: Node; reason: string }[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found: { leaf: Node; reason: string }[] = [];
  for (const call of calls) {
    const sampled = call.sampledNodeId === null ? undefined : byId.get(call.sampledNodeId);
    const prompt = call.promptNodeId === null ? undefined : byId.get(call.promptNodeId);
    if (sampled && !trains(sampled) && (children.get(sampled.id) ?? []).length === 0) {
      const isUnreceived = unreceived.has(sampled.id);
      found.push({ leaf: sampled, reason: isUnreceived ? "not-received" : untrainedReason(call) });
    } else if (!sampled && prompt && call.status === "incomplete") {
      found.push({ leaf: prompt, reason: "incomplete" });
    }
  }
  return found;
}

function untrainedReason({ kind, status }: Call): string {
  if (status !== "done" || kind === "main") return status;
  return kind === "side" ? "side-request" : kind;
}

function pathTo(byId: ReadonlyMap<number, Node>, leaf: Node): Node[] {
  const path: Node[] = [];
  for (
    let at: Node | undefined = leaf;
    at;
    at = at.parentId === null ? undefined : byId.get(at.parentId)
  )
    path.push(at);
  return path.reverse();
}
