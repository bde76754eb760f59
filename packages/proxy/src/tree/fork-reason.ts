import type { CallKind, ForkReason, Message } from "@liverl/contract/trajectory";
import { contentText } from "#tree/canonical-message.ts";
import { type Conversation, describeChange } from "#tree/describe-change.ts";
import { findKin, type Kin, nearestBelow, newestBelow } from "#tree/find-kin.ts";
import {
  type Line,
  type Match,
  messagesOf,
  type Place,
  type SessionTree,
} from "#tree/session-tree.ts";

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

interface Asked extends Line, Conversation {
  hasTools: boolean;
  /** Whether it asks for a document of its own schema. */
  wantsDocument: boolean;
  /** Whether it repeats a call whose answer its client may not have received. */
  isRepeat: boolean;
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
  const sent = { ...asked, keys: rest, messages: asked.messages.slice(match.messages) };
  return branchStanding(tree, match.held, sent);
}

function repeatFork(again: Place, asked: Asked): Fork | null {
  if (again.children.length === 0)
    return asked.isAborting(again.node.id)
      ? { reason: "retry-replay", nodeId: again.node.id }
      : null;
  const wasCut = again.children.every(
    ({ node }) => node.kind === "sampled" && asked.wasAborted(node.callId),
  );
  return { reason: wasCut || asked.isRepeat ? "retry-replay" : "resample", nodeId: again.node.id };
}

/**
 * `asked` holds the messages after `held`. A summary that is asked for on the agent's own branch is no work of the agent,
 * whether it forks or not.
 */
function branchStanding(tree: SessionTree, held: Place, asked: Asked): Standing {
  const isOfSummary = isSummary(asked, asked.messages);
  const kind = isOfSummary && held.traits.kind === "main" ? "compaction" : held.traits.kind;
  if (held.children.length === 0) return { fork: null, kind, linkedFrom: null };
  const reason = isOfSummary
    ? "compaction"
    : (describeChange(nearestBelow(tree, held, asked), asked, { fromStart: false }) ?? "no-bridge");
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
    if (own.length > 0) {
      const reason = rootReason(own, asked, findKin(tree, own, asked));
      return newRoot(reason, "subagent", newestBelow(own));
    }
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
  // Where a client names no agents, one that shares nothing began a line of its own, and goes on editing that one.
  const lines = ofStep.filter(
    ({ traits }) => traits.subagent === null && ["main", "subagent"].includes(traits.kind),
  );
  const kin = findKin(tree, lines, asked);
  const summary = quotedSummary(tree, asked, kin);
  if (summary) return newRoot("compaction", "main", summary);
  const reason = rootReason(main, asked, kin);
  if (kin) return newRoot(reason, kin.root.traits.kind, kin.end);
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

function rootReason(roots: readonly Place[], asked: Asked, kin: Kin | null): ForkReason {
  const known = kin ? [kin.root] : roots;
  const sameTools = known.filter(({ traits }) => traits.toolsKey === asked.toolsKey);
  if (sameTools.length === 0) return "tools-changed";
  if (!sameTools.some(({ traits }) => traits.templateKey === asked.templateKey))
    return "template-changed";
  const system = systemOf(asked.messages);
  if (!sameTools.some(({ node }) => systemOf(messagesOf(node)) === system)) return "system-changed";
  const isCompacted = ({ messages }: Conversation) =>
    messages.some((message) => message.role === "user" && COMPACTION.test(contentText(message)));
  if (isCompacted(asked) && !(kin && isCompacted(kin.conversation))) return "compaction";
  return kin
    ? (describeChange(kin.conversation, asked, { fromStart: true }) ?? "no-bridge")
    : "subagent";
}

/**
 * The sampled turn that a client goes on from as a summary: quoted in a message that the conversation had not, or given back
 * as a turn, though it was sampled as a summary.
 */
function quotedSummary(tree: SessionTree, asked: Asked, kin: Kin | null): Place | null {
  const held = new Set(kin?.conversation.keys);
  const isQuoted = (text: string, messages: readonly Message[]) =>
    messages.some((message) => message.role !== "assistant" && contentText(message).includes(text));
  const added = asked.messages.filter((_, i) => !held.has(asked.keys[i] ?? ""));
  const summaries = tree.nodes.filter((node) => node.kind === "sampled").reverse();
  const found = summaries.find((node) => {
    const text = contentText(node.message).trim();
    if (text.length < QUOTE_CHARACTERS || isQuoted(text, kin?.conversation.messages ?? []))
      return false;
    const isEchoed = added.some(
      (message) => message.role === "assistant" && contentText(message).trim() === text,
    );
    return isQuoted(text, added) || (isEchoed && tree.get(node.id).traits.kind === "compaction");
  });
  return found ? tree.get(found.id) : null;
}

const systemOf = (messages: readonly Message[]) =>
  messages[0]?.role === "system" ? contentText(messages[0]) : "";
