import type { Message } from "@liverl/contract/trajectory";
import { contentText } from "#tree/canonical-message.ts";

/**
 * For templates that take no system message but the first: each later one becomes text of a user turn where it stood,
 * before the user's message that follows it, else after the one before it, else a turn of its own.
 * `first`: whether the first message may stay a system message.
 */
export function foldSystem(messages: readonly Message[], first: boolean): readonly Message[] {
  const isLate = (message: Message, i: number) => message.role === "system" && !(first && i === 0);
  if (!messages.some(isLate)) return messages;
  const folded: Message[] = [];
  let waiting: string[] = [];
  for (const [i, message] of messages.entries()) {
    if (isLate(message, i)) waiting.push(contentText(message));
    else if (message.role === "user") {
      folded.push(withText(message, [...waiting, contentText(message)]));
      waiting = [];
    } else {
      place(folded, waiting);
      waiting = [];
      folded.push(message);
    }
  }
  place(folded, waiting);
  return folded;
}

function place(folded: Message[], waiting: readonly string[]): void {
  if (waiting.length === 0) return;
  const last = folded.at(-1);
  if (last?.role === "user")
    folded.push(withText(withoutLast(folded), [contentText(last), ...waiting]));
  else folded.push({ role: "user", content: waiting.join("\n\n") });
}

function withoutLast(messages: Message[]): Message {
  return messages.pop() ?? { role: "user" };
}

const withText = (message: Message, texts: readonly string[]): Message =>
  texts.length === 1 ? message : { ...message, content: texts.join("\n\n") };
