import type { Call, ForkReason, Message } from "@liverl/contract/trajectory";
import { REMINDER } from "#tree/canonical-message.ts";
import {
  type Match,
  messagesOf,
  type Place,
  type SessionTree,
  sameKeys,
} from "#tree/session-tree.ts";

export interface Fork {
  reason: ForkReason;
  /** The node at which the call left what was there; null for a new root. */
  nodeId: number | null;
}

interface Asked {
  messages: readonly Message[];
  keys: readonly string[];
  toolsKey: string;
  hasTools: boolean;
}

const COMPACTION = /summar|compact|continued from a previous/i;

/** Why a call that is about to hang below `match.held` does not simply go on; null when it does. */
export function forkOf(tree: SessionTree, match: Match, asked: Asked): Fork | null {
  const rest = asked.keys.slice(match.messages);
  const siblings = match.held ? match.held.children : tree.roots;
  if (siblings.length === 0) return null;
  const again = tree.findGiven(match.held, rest, asked.toolsKey);
  if (again) {
    // A call that failed before it sampled anything left only its given node: to repeat it is no fork.
    return again.children.length > 0 ? { reason: "resample", nodeId: again.node.id } : null;
  }
  const reason = match.held
    ? branchReason(siblings, rest, asked.messages.slice(match.messages))
    : rootReason(tree.roots, asked);
  return { reason, nodeId: match.held?.node.id ?? null };
}

/** What kind of call this is; a call goes on as what its branch began. */
export function kindOf(fork: Fork | null, held: Call["kind"] | null): Call["kind"] {
  if (held) return held;
  if (fork?.reason === "side-request") return "side";
  if (fork?.reason === "subagent") return "subagent";
  return fork?.reason === "compaction" ? "compaction" : "main";
}

function branchReason(
  siblings: readonly Place[],
  rest: readonly string[],
  messages: readonly Message[],
): ForkReason {
  for (const sibling of siblings) {
    if (sibling.node.kind !== "given") continue;
    const shared = sameKeys(sibling.keys, rest.slice(0, sibling.keys.length));
    if (shared)
      return messages[sibling.keys.length]?.role === "assistant" ? "assistant-edited" : "no-bridge";
    if (differsByReminder(messagesOf(sibling.node), messages)) return "reminder-moved";
  }
  return "resample";
}

function rootReason(roots: readonly Place[], asked: Asked): ForkReason {
  const sameTools = roots.filter((root) => root.toolsKey === asked.toolsKey);
  const root = sameTools[0] ?? roots[0];
  if (!root) return "no-bridge";
  const held = messagesOf(root.node);
  const sameSystem = systemOf(held) === systemOf(asked.messages);
  if (sameTools.length === 0)
    return !asked.hasTools && !sameSystem ? "side-request" : "tools-changed";
  if (!sameTools.some((other) => systemOf(messagesOf(other.node)) === systemOf(asked.messages)))
    return "system-changed";
  for (const other of sameTools) {
    const shared = sameKeys(other.keys, asked.keys.slice(0, other.keys.length));
    if (shared)
      return asked.messages[other.keys.length]?.role === "assistant"
        ? "assistant-edited"
        : "no-bridge";
    if (differsByReminder(messagesOf(other.node), asked.messages)) return "reminder-moved";
  }
  if (
    asked.messages.some(
      (message) => message.role === "user" && COMPACTION.test(String(message.content)),
    )
  )
    return "compaction";
  return repeatsLater(root, asked.keys) ? "truncated" : "subagent";
}

const systemOf = (messages: readonly Message[]) =>
  messages[0]?.role === "system" ? String(messages[0].content) : "";

function differsByReminder(held: readonly Message[], sent: readonly Message[]): boolean {
  const stripped = (messages: readonly Message[]) =>
    messages.map(
      (message) => `${message.role}:${String(message.content).replace(REMINDER, "").trim()}`,
    );
  const texts = held.concat(sent).map((message) => String(message.content));
  return (
    texts.some((text) => text.includes("<system-reminder>")) &&
    sameKeys(stripped(held), stripped(sent.slice(0, held.length)))
  );
}

/** Whether the messages, after their system prompt, are a later part of a path below `root`: its beginning was cut away. */
function repeatsLater(root: Place, keys: readonly string[]): boolean {
  const later = new Set<string>();
  const open = [...root.children];
  for (let place = open.pop(); place; place = open.pop()) {
    for (const key of place.keys) later.add(key);
    open.push(...place.children);
  }
  const [next] = keys.filter((key) => !key.startsWith('["system"'));
  return next !== undefined && later.has(next);
}
