import type { Message } from "@liverl/contract/trajectory";
import { contentText, toolCallIds } from "#tree/canonical-message.ts";
import type { Conversation } from "#tree/describe-change.ts";
import { messagesOf, type Place, pathTo, type SessionTree } from "#tree/session-tree.ts";

/** A conversation of the session that a client has edited, dropped parts of, or added to. */
export interface Kin {
  root: Place;
  /** The last turn that the client still has; the newest node where it has none. */
  end: Place;
  /** The messages up to there. */
  conversation: Conversation;
}

interface Sent extends Conversation {
  toolsKey: string;
}

/** A text of so many characters is no coincidence. */
const CERTAIN_CHARACTERS = 40;
/** With so many turns in common, other roots are not compared. */
const CERTAIN_TURNS = 3;

/**
 * The root among `roots` whose conversation `sent` is, edited. Tool-call ids decide. Without them the text of turns does, of any
 * length, where at least half of the turns that were sent are the session's. Without any turn, the conversation is the same if
 * the last user message before the first turn is still there, also with words added or left out at one place, or if it
 * begins with a later message. Null where `sent` shares none of this: it is another agent's.
 */
export function findKin(tree: SessionTree, roots: readonly Place[], sent: Sent): Kin | null {
  const turns = turnsOf(tree, sent);
  return nearest(roots, sent, turns, (score) => isAccepted(score, turns.length));
}

/** The messages after `held` on the path that `sent`, which goes on from `held`, is nearest to. */
export function nearestBelow(tree: SessionTree, held: Place, sent: Sent): Conversation {
  const turns = turnsOf(tree, sent);
  const { end } = nearest(held.children, sent, turns, () => true) ?? { end: held };
  return conversationTo(end, turns, held);
}

function nearest(
  places: readonly Place[],
  sent: Sent,
  turns: readonly SentTurn[],
  accepts: (score: Score) => boolean,
): Kin | null {
  let best: { root: Place; score: Score } | null = null;
  for (const root of [...places].reverse()) {
    const score = scoreOf(root, sent, turns);
    if (!accepts(score)) continue;
    if (!best || isBetter(score, best.score)) best = { root, score };
    if (score.turns === turns.length && score.turns >= CERTAIN_TURNS && score.sameTools) break;
  }
  if (!best) return null;
  const { root, score } = best;
  const end = score.lastTurn ?? newestBelow([root]) ?? root;
  return { root, end, conversation: conversationTo(end, turns, null) };
}

/** An assistant message that a client sent. */
interface SentTurn {
  key: string;
  ids: readonly string[];
  text: string;
}

/** What `sent` has in common with a root. */
interface Score {
  turns: number;
  byIds: boolean;
  /** One of the turns is too long to be equal by chance. */
  isCertain: boolean;
  sameTools: boolean;
  /** Messages. */
  shared: number;
  keepsPrompt: boolean;
  startsLater: boolean;
  lastTurn: Place | null;
}

function turnsOf(tree: SessionTree, { messages, keys }: Conversation): SentTurn[] {
  return messages.flatMap((message, i) => {
    if (message.role !== "assistant") return [];
    const key = keys[i] ?? "";
    const byIds = toolCallIds(message).length > 0 ? tree.findSampled(message, key) : null;
    // A turn in other words stands for the one that was sampled.
    return [
      { key: byIds?.keys[0] ?? key, ids: toolCallIds(message), text: contentText(message).trim() },
    ];
  });
}

function scoreOf(root: Place, sent: Sent, turns: readonly SentTurn[]): Score {
  const keys = new Set<string>();
  const ids = new Set<string>();
  const lastOf = new Map<string, Place>();
  for (const place of placesBelow(root)) {
    const messages = messagesOf(place.node);
    for (const [i, key] of place.keys.entries()) {
      keys.add(key);
      if (messages[i]?.role !== "assistant") continue;
      for (const id of toolCallIds(messages[i])) ids.add(id);
      const last = lastOf.get(key);
      if (!last || last.node.id < place.node.id) lastOf.set(key, place);
    }
  }
  const known = turns.filter((turn) => turn.ids.some((id) => ids.has(id)) || lastOf.has(turn.key));
  return {
    turns: known.length,
    byIds: known.some((turn) => turn.ids.some((id) => ids.has(id))),
    isCertain: known.some(({ text }) => text.length >= CERTAIN_CHARACTERS),
    sameTools: root.traits.toolsKey === sent.toolsKey,
    shared: sent.keys.filter((key) => keys.has(key)).length,
    keepsPrompt: keepsPrompt(root, sent.messages),
    startsLater: startsLater(root, sent, keys),
    lastTurn: known.map(({ key }) => lastOf.get(key)).findLast((place) => place) ?? null,
  };
}

function isAccepted(score: Score, sentTurns: number): boolean {
  const { turns, byIds, isCertain } = score;
  if (byIds || isCertain) return true;
  return turns > 0 ? turns * 2 >= sentTurns : score.keepsPrompt || score.startsLater;
}

function isBetter(a: Score, b: Score): boolean {
  const order = (score: Score) => [
    score.byIds ? 1 : 0,
    score.turns,
    score.keepsPrompt ? 1 : 0,
    score.sameTools ? 1 : 0,
    score.shared,
  ];
  const [left, right] = [order(a), order(b)];
  const at = left.findIndex((value, i) => value !== right[i]);
  return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0);
}

/** The messages after `from` up to `end`; a turn that was sent in other words has the key of what was sampled. */
function conversationTo(end: Place, turns: readonly SentTurn[], from: Place | null): Conversation {
  const whole = pathTo(end);
  const path = whole.slice(from === null ? 0 : whole.indexOf(from) + 1);
  const messages = path.flatMap(({ node }) => messagesOf(node));
  const keys = path.flatMap((place) => place.keys);
  return { messages, keys: keys.map((key, i) => sentKey(messages[i], turns) ?? key) };
}

function sentKey(message: Message | undefined, turns: readonly SentTurn[]): string | undefined {
  const ids = message?.role === "assistant" ? toolCallIds(message) : [];
  return ids.length === 0
    ? undefined
    : turns.find((turn) => turn.ids.some((id) => ids.includes(id)))?.key;
}

/** Whether the task that the root's conversation begins with is still in the messages. */
function keepsPrompt(root: Place, sent: readonly Message[]): boolean {
  const messages = messagesOf(root.node);
  const firstTurn = messages.findIndex(({ role }) => role === "assistant");
  const prompt = (firstTurn < 0 ? messages : messages.slice(0, firstTurn)).findLast(
    ({ role }) => role === "user",
  );
  if (!prompt) return false;
  const text = contentText(prompt);
  return sent.some((message) => {
    if (message.role !== "user") return false;
    const other = contentText(message);
    return other === text || addsWords(text, other) || addsWords(other, text);
  });
}

/** Whether the messages, after their system prompt, begin with one that stands behind the root. */
function startsLater(root: Place, sent: Conversation, keys: ReadonlySet<string>): boolean {
  const at = sent.messages.findIndex(({ role }) => role !== "system");
  const key = sent.keys[at];
  return key !== undefined && keys.has(key) && !root.keys.includes(key);
}

/** Whether `long` is `short` with whole words added at one place. */
function addsWords(short: string, long: string): boolean {
  const added = long.length - short.length;
  if (short === "" || added <= 0) return false;
  const isWords = (text: string) => /^\s|\s$/.test(text);
  if (long.startsWith(short)) return isWords(long.slice(short.length));
  if (long.endsWith(short)) return isWords(long.slice(0, added));
  let head = 0;
  while (short[head] === long[head]) head += 1;
  return long.endsWith(short.slice(head)) && isWords(long.slice(head, head + added));
}

export function* placesBelow(root: Place): Generator<Place> {
  const open = [root];
  for (let place = open.pop(); place; place = open.pop()) {
    yield place;
    open.push(...place.children);
  }
}

export function newestBelow(roots: readonly Place[]): Place | null {
  let newest: Place | null = null;
  for (const root of roots)
    for (const place of placesBelow(root))
      if (place.node.id > (newest?.node.id ?? -1)) newest = place;
  return newest;
}
