import type { ForkReason, LossyTurn, Message } from "@liverl/contract/trajectory";
import type { HeldTurn, Renderer } from "#renderer/renderer.ts";
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

/** Messages and their ids. */
interface Rendered {
  before: HeldTurn | null;
  messages: readonly Message[];
  ids: readonly number[];
  /** Ids of this render that come before. */
  offset: number;
}

/** Where the new ids hang, and the ids. */
interface RenderedGiven {
  match: Match;
  givenIds: readonly number[];
  /** Assistant turns among them that stand there by the client's text. */
  lossyTurns: LossyTurn[];
  /** Where the renderer says that the held path can not go on, and the conversation starts anew. */
  declared: Standing | null;
}

type Bridged =
  | { ids: readonly number[]; rendered: Rendered[]; fork: null }
  | { ids: null; fork: ForkReason };

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
  const whole: Stretch[] = [{ messages: rest, turn: null }];
  let made = await renderStretches(renderer, held, stretches, tools);
  if (made.fork !== null && (held === null || stretches.length > 1))
    made = await renderStretches(renderer, held, whole, tools);
  if (made.fork === null) {
    const lossyTurns = await locateLossy(renderer, made.rendered, tools);
    return { match: found, givenIds: made.ids, lossyTurns, declared: null };
  }
  if (!found.held) throw new Error("a root is never refused");
  const anew = await renderGiven(renderer, tree, NOTHING_HELD, conversation);
  const { node, traits } = found.held;
  const fork = { reason: made.fork, nodeId: node.id };
  return { ...anew, declared: { fork, kind: traits.kind, linkedFrom: node.id } };
}

async function renderStretches(
  renderer: Renderer,
  held: HeldTurn | null,
  stretches: readonly Stretch[],
  tools: ToolDefinitions | null,
): Promise<Bridged> {
  const parts: (readonly number[])[] = [];
  const rendered: Rendered[] = [];
  let offset = 0;
  let before = held;
  for (const { messages, turn } of stretches) {
    const bridge = before
      ? await renderer.renderSuffix(before, messages, tools)
      : { ids: await renderer.renderRoot(messages, tools), fork: null };
    if (bridge.fork !== null) return bridge;
    parts.push(bridge.ids);
    rendered.push({ before, messages, ids: bridge.ids, offset });
    if (!turn) break;
    parts.push(turn.node.tokenIds);
    offset += bridge.ids.length + turn.node.tokenIds.length;
    before = turnAfter(before, turn);
  }
  const ids = parts.length === 1 && parts[0] ? parts[0] : parts.flat();
  return { ids, rendered, fork: null };
}

/** Most prompts have none, and nothing is rendered for them. */
async function locateLossy(
  renderer: Renderer,
  rendered: readonly Rendered[],
  tools: ToolDefinitions | null,
): Promise<LossyTurn[]> {
  const lossy: LossyTurn[] = [];
  for (const { before, messages, ids, offset } of rendered) {
    if (!messages.some(({ role }) => role === "assistant")) continue;
    for (const turn of await renderer.locateTurns(before, messages, tools, ids))
      lossy.push(turn && [turn[0] + offset, turn[1] + offset]);
  }
  return lossy;
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
