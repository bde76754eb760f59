import type { MessageExcerpt } from "@liverl/contract/session-view";
import type { Message } from "@liverl/contract/trajectory";
import { contentText, sentToolCalls } from "#tree/canonical-message.ts";

/** Messages that are told from the first that differs on. */
const AFTER = 2;
/** Characters of equal text beside a difference, and of the difference. */
const CONTEXT = 120;
const CHANGED = 600;

/** Both conversations around the first message in which they differ. */
export function excerptMessages(
  stored: readonly Message[] | null,
  asked: readonly Message[],
): { stored: MessageExcerpt[] | null; asked: MessageExcerpt[] } {
  const left = (stored ?? []).map(readable);
  const right = asked.map(readable);
  let first = 0;
  while (first < left.length && first < right.length && isEqual(left[first], right[first]))
    first += 1;
  return {
    stored: stored && around(left, right[first] ?? null, first),
    asked: around(right, left[first] ?? null, first),
  };
}

interface Readable {
  role: string;
  text: string;
}

function readable(message: Message): Readable {
  const calls = sentToolCalls(message).map(
    (call) => `${call.function.name}(${call.function.arguments})`,
  );
  return { role: message.role, text: [contentText(message), ...calls].filter(Boolean).join("\n") };
}

const isEqual = (a: Readable | undefined, b: Readable | undefined) =>
  a !== undefined && b !== undefined && a.role === b.role && a.text === b.text;

/** The message before the difference, the one that differs from `other`, and those after it. */
function around(
  messages: readonly Readable[],
  other: Readable | null,
  first: number,
): MessageExcerpt[] {
  const from = Math.max(0, first - 1);
  return messages.slice(from, first + AFTER + 1).map((message, i) => {
    const number = from + i + 1;
    if (number - 1 !== first)
      return { number, role: message.role, before: start(message.text), changed: "", after: "" };
    return { number, role: message.role, ...marked(message.text, other?.text ?? "") };
  });
}

/** `text` with the part that `other` has not. */
function marked(text: string, other: string): Pick<MessageExcerpt, "before" | "changed" | "after"> {
  const shorter = Math.min(text.length, other.length);
  let head = 0;
  while (head < shorter && text[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && text.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const end = text.length - tail;
  return {
    before: head > CONTEXT ? `…${text.slice(head - CONTEXT, head)}` : text.slice(0, head),
    changed: end - head > CHANGED ? `${text.slice(head, head + CHANGED)}…` : text.slice(head, end),
    after: start(text.slice(end)),
  };
}

const start = (text: string) => (text.length > CONTEXT ? `${text.slice(0, CONTEXT)}…` : text);
