import type { CallKind, ForkReason, Message } from "@liverl/contract/trajectory";
import { contentText } from "#tree/canonical-message.ts";
import {
  type Line,
  type Match,
  messagesOf,
  type Place,
  type SessionTree,
  sameKeys,
} from "#tree/session-tree.ts";
import { stripTagged } from "#tree/strip-tagged.ts";

export interface Fork {
  reason: ForkReason;
  /** The node at which the call left what was there; null for a new root. */
  nodeId: number | null;
}

/** Where a call stands in its session. */
export interface Standing {
  /** Null where it simply goes on. */
  fork: Fork | null;
  kind: CallKind;
  /** For a new root: the node that it was made from. */
  linkedFrom: number | null;
}

interface Asked extends Line {
  messages: readonly Message[];
  keys: readonly string[];
  hasTools: boolean;
  /** Whether it asks for a document of its own schema. */
  wantsDocument: boolean;
  /** Whether the client says that it is compacting. */
  isCompaction: boolean;
  /** Whether the call was broken off by its client. */
  wasAborted(callId: number): boolean;
  /** Whether a call that samples below the node is being broken off at this moment. */
  isAborting(nodeId: number): boolean;
}

/** Claude Code, OpenCode and Qwen ask for their summaries with words like these. */
const SUMMARISE =
  /CRITICAL: Respond with TEXT ONLY|(?:create|provide|write) a (?:detailed |concise |structured )*(?:summary|prompt) (?:of|for continuing) (?:the|our|this) conversation/i;
/** OpenCode and Qwen have a system prompt of its own for it. */
const SUMMARISER =
  /\b(?:summari[sz](?:ing|es?) (?:the |a |our )?conversations?|context summari[sz]ation)\b/i;
const COMPACTION = /continued from a previous|summary of the conversation|conversation so far/i;
const TITLE =
  /\b(?:title generator|generate an? (?:short |concise |brief )?title|(?:session|conversation) title)\b/i;
/** A text this short may be in a message by chance. */
const QUOTE_CHARACTERS = 40;

/** Why a call that is about to hang below `match.held` does not simply go on, and what it is. */
export function standingOf(tree: SessionTree, match: Match, asked: Asked): Standing {
  const rest = asked.keys.slice(match.messages);
  const again = tree.findGiven(match.held, rest, asked);
  if (again) {
    // A call that failed before it sampled anything left only its given node: to repeat it is no fork.
    return { fork: repeatFork(again, asked), kind: again.traits.kind, linkedFrom: null };
  }
  if (!match.held) return rootStanding(tree, asked);
  return branchStanding(match.held, rest, asked.messages.slice(match.messages), asked);
}

function repeatFork(again: Place, asked: Asked): Fork | null {
  if (again.children.length === 0)
    return asked.isAborting(again.node.id)
      ? { reason: "retry-replay", nodeId: again.node.id }
      : null;
  const wasCut = again.children.every(
    ({ node }) => node.kind === "sampled" && asked.wasAborted(node.callId),
  );
  return { reason: wasCut ? "retry-replay" : "resample", nodeId: again.node.id };
}

/** A summary that is asked for on the agent's own branch is no work of the agent, whether it forks or not. */
function branchStanding(
  held: Place,
  rest: readonly string[],
  messages: readonly Message[],
  asked: Asked,
): Standing {
  const summary = isSummary(asked, messages);
  const kind = summary && held.traits.kind === "main" ? "compaction" : held.traits.kind;
  if (held.children.length === 0) return { fork: null, kind, linkedFrom: null };
  const reason = summary ? "compaction" : branchReason(held.children, rest, messages);
  return { fork: { reason, nodeId: held.node.id }, kind, linkedFrom: null };
}

function isSummary(asked: Asked, messages: readonly Message[]): boolean {
  return asked.isCompaction || SUMMARISE.test(lastUserText(messages));
}

function isSummariser({ hasTools, messages }: Asked): boolean {
  return !hasTools && SUMMARISER.test(systemOf(messages));
}

/** Claude Code puts its environment, as a system message, behind what it asks once it has compacted. */
function lastUserText(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role !== "system");
  return last?.role === "user" ? contentText(last) : "";
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

function rootStanding(tree: SessionTree, asked: Asked): Standing {
  const newRoot = (reason: ForkReason | null, kind: CallKind, from: Place | null): Standing => ({
    fork: reason && { reason, nodeId: null },
    kind,
    linkedFrom: from?.node.id ?? null,
  });
  const ofStep = tree.roots.filter(({ traits }) => traits.taskStep === asked.taskStep);
  const main = ofStep.filter(({ traits }) => traits.kind === "main");
  if (asked.subagent !== null) {
    const own = ofStep.filter(({ traits }) => traits.subagent === asked.subagent);
    if (own.length > 0) return newRoot(rootReason(own, asked), "subagent", newestBelow(own));
    return newRoot(tree.roots.length > 0 ? "subagent" : null, "subagent", newestBelow(main));
  }
  const sideReason = main.length > 0 ? "side-request" : null;
  if (isSummary(asked, asked.messages) || isSummariser(asked))
    return newRoot(main.length > 0 ? "compaction" : null, "compaction", newestBelow(main));
  if (isSide(main, asked)) return newRoot(sideReason, "side", newestBelow(main));
  if (main.length === 0) {
    // The agent's work at the task's next step: as much its own as what it did before.
    const before = tree.roots.filter(({ traits }) => traits.kind === "main");
    return newRoot(before.length > 0 ? "next-step" : null, "main", newestBelow(before));
  }
  const quoted = repeatsRoot(main, asked.keys) ? null : quotedTurn(tree, asked.messages);
  if (quoted) return newRoot("compaction", "main", quoted);
  const reason = rootReason(main, asked);
  return newRoot(reason, reason === "subagent" ? "subagent" : "main", newestBelow(main));
}

/** A request without tools beside an agent that has some, or one for a title. */
function isSide(main: readonly Place[], asked: Asked): boolean {
  if (asked.hasTools) return false;
  if (asked.wantsDocument || TITLE.test(systemOf(asked.messages))) return true;
  const withTools = main.filter(({ traits }) => traits.toolsKey !== "");
  return (
    withTools.length > 0 &&
    !withTools.some((root) => systemOf(messagesOf(root.node)) === systemOf(asked.messages))
  );
}

function rootReason(roots: readonly Place[], asked: Asked): ForkReason {
  const sameTools = roots.filter(({ traits }) => traits.toolsKey === asked.toolsKey);
  const root = sameTools[0];
  if (!root) return "tools-changed";
  const ofSystem = sameTools.filter(
    (other) => systemOf(messagesOf(other.node)) === systemOf(asked.messages),
  );
  if (ofSystem.length === 0) return "system-changed";
  for (const other of ofSystem) {
    const shared = sameKeys(other.keys, asked.keys.slice(0, other.keys.length));
    if (shared)
      return asked.messages[other.keys.length]?.role === "assistant"
        ? "assistant-edited"
        : "no-bridge";
    if (differsByReminder(messagesOf(other.node), asked.messages)) return "reminder-moved";
  }
  if (
    asked.messages.some(
      (message) => message.role === "user" && COMPACTION.test(contentText(message)),
    )
  )
    return "compaction";
  return repeatsLater(root, asked.keys) ? "truncated" : "subagent";
}

/** Whether the conversation begins as one before it did, whatever its system prompt says: it quotes its own turns, then. */
function repeatsRoot(roots: readonly Place[], keys: readonly string[]): boolean {
  const sent = withoutSystem(keys);
  return roots.some((root) => {
    const first = withoutSystem(root.keys);
    return first.length > 0 && sameKeys(first, sent.slice(0, first.length));
  });
}

const isSystem = (key: string) => key.startsWith('["system"');
const withoutSystem = (keys: readonly string[]) => keys.filter((key) => !isSystem(key));

/** The sampled turn that the messages quote: a summary that a client goes on from. */
function quotedTurn(tree: SessionTree, messages: readonly Message[]): Place | null {
  const texts = messages.map(contentText).filter((text) => text.length >= QUOTE_CHARACTERS);
  if (texts.length === 0) return null;
  const sampled = tree.nodes.filter((node) => node.kind === "sampled").reverse();
  const quoted = sampled.find((node) => {
    const said = contentText(node.message).trim();
    return said.length >= QUOTE_CHARACTERS && texts.some((text) => text.includes(said));
  });
  return quoted ? tree.get(quoted.id) : null;
}

function newestBelow(roots: readonly Place[]): Place | null {
  let newest: Place | null = null;
  const open = [...roots];
  for (let place = open.pop(); place; place = open.pop()) {
    if (place.node.id > (newest?.node.id ?? -1)) newest = place;
    open.push(...place.children);
  }
  return newest;
}

const withoutReminders = (text: string) =>
  stripTagged(text, "<system-reminder>", "</system-reminder>");

const systemOf = (messages: readonly Message[]) =>
  messages[0]?.role === "system" ? contentText(messages[0]) : "";

function differsByReminder(held: readonly Message[], sent: readonly Message[]): boolean {
  const stripped = (messages: readonly Message[]) =>
    messages.map((message) => `${message.role}:${withoutReminders(contentText(message)).trim()}`);
  const texts = held.concat(sent).map(contentText);
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
  const [next] = withoutSystem(keys);
  return next !== undefined && later.has(next);
}
