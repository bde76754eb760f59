import { setImmediate as nextTurn } from "node:timers/promises";
import type { LossyTurn, Message } from "@liverl/contract/trajectory";
import { plain, type Text } from "#jinja/given-text.ts";
import type { ControlTokens } from "#renderer/control-tokens.ts";
import type { Suffix } from "#renderer/suffix-writer.ts";
import { tokenOffsets } from "#renderer/token-offsets.ts";

/** Each costs some renders of what follows it: of more than so many in one stretch the older ones are not looked for. */
const MOST_TURNS = 64;

/** A stretch of messages as it was rendered. */
export interface RenderedStretch {
  messages: readonly Message[];
  text: Text;
  ids: readonly number[];
  /** What stands before the turn of the model where these of the stretch's messages are all there are. */
  head(messages: readonly Message[]): Text | null;
  /** What follows this turn with these messages behind it, from its close on. */
  behind(turn: Message, messages: readonly Message[]): Suffix | null;
}

interface Parts {
  control: ControlTokens;
  encodePlain(text: string): Promise<readonly number[]>;
  /** Whether a turn of the model ends with this token. */
  isEnd(id: number): boolean;
}

/**
 * Which of a stretch's tokens each of its assistant turns takes: from where the model would have begun to speak to the
 * token that ends the turn. A turn is found where the text before it is what the template writes to let the model speak
 * there, and the text from its close on is what the template writes behind it; null where either is not so (a template
 * that drops thought from a turn, or opens one in its header), or a token reaches over an edge.
 */
export async function locateTurns(stretch: RenderedStretch, parts: Parts): Promise<LossyTurn[]> {
  const { messages } = stretch;
  const turns = messages.flatMap(({ role }, i) => (role === "assistant" ? [i] : []));
  const places: ([number, number] | null)[] = [];
  let closed: number | null = 0;
  for (const [n, at] of turns.entries()) {
    const before = turns[n - 1];
    const turn = messages[at];
    if (turn === undefined || turns.length - n > MOST_TURNS) {
      places.push(null);
      closed = null;
      continue;
    }
    await nextTurn();
    const head: Text | null =
      before === undefined
        ? stretch.head(messages.slice(0, at))
        : (stretch.behind(messages[before] ?? turn, messages.slice(before + 1, at))?.text ?? null);
    const from: number | null = endOfHead(stretch.text, head, closed);
    const behind = stretch.behind(turn, messages.slice(at + 1));
    closed = behind && startOfTail(stretch.text, behind.text);
    const to = behind && closed !== null ? closed + endOf(behind, parts) : null;
    places.push(from !== null && to !== null && from < to ? [from, to] : null);
  }
  return toTokens(stretch, places, parts);
}

function endOfHead(whole: Text, head: Text | null, at: number | null): number | null {
  if (head === null || at === null || !plain(whole).startsWith(plain(head), at)) return null;
  return at + plain(head).length;
}

function startOfTail(whole: Text, tail: Text): number | null {
  const text = plain(whole);
  return text.endsWith(plain(tail)) ? text.length - plain(tail).length : null;
}

function endOf({ lead }: Suffix, { isEnd }: Parts): number {
  return isEnd(lead.id) ? lead.text.length : 0;
}

async function toTokens(
  { text, ids }: RenderedStretch,
  places: readonly ([number, number] | null)[],
  parts: Parts,
): Promise<LossyTurn[]> {
  const offsets = await tokenOffsets(
    text,
    ids,
    places.flatMap((place) => place ?? []),
    parts,
  );
  return places.map((place) => {
    const [from, to] = place ? [offsets.get(place[0]), offsets.get(place[1])] : [];
    return from != null && to != null && from < to ? [from, to] : null;
  });
}
