import type { ForkDiff, ForkSide } from "@liverl/contract/session-view";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import { excerptMessages } from "#trajectory/excerpt-messages.ts";
import { messagesOf } from "#tree/session-tree.ts";

type Node = ProxyTrajectory["nodes"][number];

/** Ids that are told on each side of a fork, and of the shared prefix. */
const SIDE_IDS = 96;
const SHARED_IDS = 8;

/** A path of nodes with its tokens as one list. */
interface Line {
  nodes: Node[];
  ids: number[];
}

/**
 * The tokens and messages of a call beside those of the older path that shares most with it. Older is what had an id
 * before the call's own nodes. Null where there is no such call, or it has no prompt in the tree.
 */
export function diffFork(
  { runId, nodes, calls }: Pick<ProxyTrajectory, "runId" | "nodes" | "calls">,
  callId: number,
): ForkDiff | null {
  const call = calls.find(({ id }) => id === callId);
  if (!call || call.promptNodeId === null) return null;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const asked = lineTo(byId, byId.get(call.sampledNodeId ?? call.promptNodeId));
  const isAgain = call.fork?.nodeId === call.promptNodeId;
  const firstOwnId = isAgain ? (call.sampledNodeId ?? Number.POSITIVE_INFINITY) : call.promptNodeId;
  const older = nodes.filter(({ id }) => id < firstOwnId);
  const { line, position } = nearest(older, asked.ids);
  const side = (ids: readonly number[], messages: ForkSide["messages"]): ForkSide => ({
    ids: ids.slice(position, position + SIDE_IDS),
    more: Math.max(0, ids.length - position - SIDE_IDS),
    messages,
  });
  const excerpts = excerptMessages(
    line?.nodes.flatMap(messagesOf) ?? null,
    asked.nodes.flatMap(messagesOf),
  );
  return {
    runId,
    callId,
    position,
    promptTokens: call.usage.promptTokens,
    sampledBefore: sampledWithin(asked.nodes, position),
    shared: asked.ids.slice(Math.max(0, position - SHARED_IDS), position),
    stored: line && excerpts.stored ? side(line.ids, excerpts.stored) : null,
    asked: side(asked.ids, excerpts.asked),
  };
}

function lineTo(byId: ReadonlyMap<number, Node>, leaf: Node | undefined): Line {
  const nodes: Node[] = [];
  for (let node = leaf; node; node = node.parentId === null ? undefined : byId.get(node.parentId))
    nodes.push(node);
  nodes.reverse();
  return { nodes, ids: nodes.flatMap((node) => node.tokenIds) };
}

/** Of all paths through `nodes` the one that begins most like `ids`, and how far; where several do, the oldest. */
function nearest(
  nodes: readonly Node[],
  ids: readonly number[],
): { line: Line | null; position: number } {
  const children = new Map<number | null, Node[]>();
  for (const node of nodes) {
    const siblings = children.get(node.parentId);
    if (siblings) siblings.push(node);
    else children.set(node.parentId, [node]);
  }
  let position = 0;
  const path: Node[] = [];
  for (let at = children.get(null); at && at.length > 0; at = children.get(path.at(-1)?.id ?? -1)) {
    const best = mostAlike(at, ids, position);
    if (!best) break;
    path.push(best.node);
    position += best.shared;
    if (best.shared < best.node.tokenIds.length) break;
  }
  if (path.length === 0) return { line: null, position: 0 };
  // From the difference on, the stored path is told to its end.
  for (let next = children.get(path.at(-1)?.id ?? -1)?.[0]; next; next = children.get(next.id)?.[0])
    path.push(next);
  return { line: { nodes: path, ids: path.flatMap((node) => node.tokenIds) }, position };
}

/** The node that shares most of its ids with those from `from` on; the oldest of several. */
function mostAlike(nodes: readonly Node[], ids: readonly number[], from: number) {
  let best: { node: Node; shared: number } | null = null;
  for (const node of nodes) {
    const shared = sharedLength(node.tokenIds, ids, from);
    if (!best || shared > best.shared) best = { node, shared };
  }
  return best;
}

function sharedLength(held: readonly number[], ids: readonly number[], from: number): number {
  let shared = 0;
  while (shared < held.length && held[shared] === ids[from + shared]) shared += 1;
  return shared;
}

function sampledWithin(nodes: readonly Node[], position: number): number {
  let end = 0;
  let sampled = 0;
  for (const node of nodes) {
    const within = Math.min(node.tokenIds.length, Math.max(0, position - end));
    if (node.kind === "sampled") sampled += within;
    end += node.tokenIds.length;
  }
  return sampled;
}
