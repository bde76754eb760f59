import type { Message } from "@liverl/contract/trajectory";
import type { Bridge, HeldTurn, Renderer } from "#renderer/renderer.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";
import type { Standing } from "#tree/fork-reason.ts";
import { type Match, type Place, pathTo, type SessionTree } from "#tree/session-tree.ts";

/** Messages up to a turn that was sampled elsewhere in the session, and that turn. */
interface Stretch {
  messages: readonly Message[];
  turn: Place | null;
}

interface Conversation {
  messages: readonly Message[];
  keys: readonly string[];
  tools: ToolDefinitions | null;
}

/** Where the new ids hang, and the ids. */
interface RenderedGiven {
  match: Match;
  givenIds: readonly number[];
  /** Where the renderer says that the held path can not go on, and the conversation starts anew. */
  declared: Standing | null;
}

const NOTHING_HELD: Match = { held: null, messages: 0, rewritten: false };

/**
 * Ids of the messages that follow the deepest match, or that start a root. A turn of the agent that comes back on another
 * path, as after a compaction, stands there by the ids that were sampled: what a client echoes is never tokenised
 * again, unless the renderer can not put anything behind those ids.
 */
export async function renderGiven(
  renderer: Renderer,
  tree: SessionTree,
  found: Match,
  conversation: Conversation,
): Promise<RenderedGiven> {
  const { messages, keys, tools } = conversation;
  const held = found.held && heldTurnOf(found.held);
  const rest = messages.slice(found.messages);
  const stretches = stretchesOf(tree, rest, keys.slice(found.messages), held !== null);
  const spliced = await renderStretches(renderer, held, stretches, tools);
  if (spliced.fork === null) return { match: found, givenIds: spliced.ids, declared: null };
  if (!found.held || !held)
    return { match: found, givenIds: await renderer.renderRoot(rest, tools), declared: null };
  const whole = stretches.length > 1 ? await renderer.renderSuffix(held, rest, tools) : spliced;
  if (whole.fork === null) return { match: found, givenIds: whole.ids, declared: null };
  const anew = await renderGiven(renderer, tree, NOTHING_HELD, conversation);
  const { node, traits } = found.held;
  const fork = { reason: whole.fork, nodeId: node.id };
  return { ...anew, declared: { fork, kind: traits.kind, linkedFrom: node.id } };
}

async function renderStretches(
  renderer: Renderer,
  held: HeldTurn | null,
  stretches: readonly Stretch[],
  tools: ToolDefinitions | null,
): Promise<Bridge> {
  const parts: (readonly number[])[] = [];
  let before = held;
  for (const { messages, turn } of stretches) {
    const bridge: Bridge = before
      ? await renderer.renderSuffix(before, messages, tools)
      : { ids: await renderer.renderRoot(messages, tools), fork: null };
    if (bridge.fork !== null) return bridge;
    parts.push(bridge.ids);
    if (!turn) break;
    parts.push(turn.node.tokenIds);
    before = turnAfter(before, turn);
  }
  return { ids: parts.length === 1 && parts[0] ? parts[0] : parts.flat(), fork: null };
}

function turnAfter(before: HeldTurn | null, { node }: Place): HeldTurn {
  const said = node.kind === "sampled" ? [node.message] : [];
  return { sampled: [...(before?.sampled ?? []), ...said], lastId: node.tokenIds.at(-1) };
}

function heldTurnOf(place: Place): HeldTurn {
  const sampled = pathTo(place).flatMap(({ node }) =>
    node.kind === "sampled" ? [node.message] : [],
  );
  return { sampled, lastId: place.node.tokenIds.at(-1) };
}

/** Cut after each turn that the session sampled; the last stretch has none, since the model is to speak after it. */
function stretchesOf(
  tree: SessionTree,
  messages: readonly Message[],
  keys: readonly string[],
  followsTurn: boolean,
): Stretch[] {
  const stretches: Stretch[] = [];
  let from = 0;
  for (const [i, message] of messages.entries()) {
    const mayBeTurn = message.role === "assistant" && (i > 0 || followsTurn);
    const turn = mayBeTurn ? tree.findSampled(message, keys[i] ?? "") : null;
    if (!turn || i === messages.length - 1) continue;
    stretches.push({ messages: messages.slice(from, i), turn });
    from = i + 1;
  }
  stretches.push({ messages: messages.slice(from), turn: null });
  return stretches;
}
