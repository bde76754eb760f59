import { textOfMessage } from "@liverl/contract/read-message";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";

export type Node = ProxyTrajectory["nodes"][number];
export type Segment = ProxyTrajectory["segments"][number];

/** The named segment; else the first that trains, and of a live session the one that its newest call is on. */
export function findSegment(
  { segments, calls }: Pick<ProxyTrajectory, "segments" | "calls">,
  segmentId: number | undefined,
  live: boolean,
): Segment | null {
  if (segmentId !== undefined) return segments.find(({ id }) => id === segmentId) ?? null;
  const newest = live ? calls.findLast(({ kind }) => kind === "main") : undefined;
  const leaf = newest?.sampledNodeId ?? newest?.promptNodeId;
  return (
    segments.find(({ path }) => leaf !== undefined && path.at(-1) === leaf) ??
    segments.find(({ trainable }) => trainable) ??
    segments[0] ??
    null
  );
}

/** The nodes of a segment from its root on. */
export function nodesOf({ nodes }: Pick<ProxyTrajectory, "nodes">, { path }: Segment): Node[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return path.flatMap((id) => byId.get(id) ?? []);
}

export const messagesOf = ({ message }: Node) => (Array.isArray(message) ? message : [message]);

const BETWEEN = "\n\n";

/** A node's messages as a person reads them. */
export function textOfNode(node: Node): string {
  return wordsOf(node)
    .map(({ text }) => text)
    .join(BETWEEN);
}

/** Where each message begins in the node's text. */
export function partsOfNode(node: Node): { role: string; from: number }[] {
  let from = 0;
  return wordsOf(node).map(({ role, text }) => {
    const part = { role, from };
    from += text.length + BETWEEN.length;
    return part;
  });
}

const wordsOf = (node: Node) =>
  messagesOf(node)
    .map((message) => ({ role: message.role, text: textOfMessage(message) }))
    .filter(({ text }) => text !== "");
