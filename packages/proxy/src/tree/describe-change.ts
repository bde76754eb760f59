import type { ForkReason, Message } from "@liverl/contract/trajectory";
import { contentText } from "#tree/canonical-message.ts";
import { stripTagged } from "#tree/strip-tagged.ts";

/** Messages and the canonical text of each. */
export interface Conversation {
  messages: readonly Message[];
  keys: readonly string[];
}

/**
 * Names the first change that turns `held` into `sent`, two histories of one agent. Null where `sent` only goes on.
 * A change of several messages is named after its first one. `fromStart`: they are whole histories, no later parts of one.
 */
export function describeChange(
  held: Conversation,
  sent: Conversation,
  { fromStart }: { fromStart: boolean },
): ForkReason | null {
  const at = held.keys.findIndex((key, i) => key !== sent.keys[i]);
  const before = held.messages[at];
  if (!before) return null;
  const after = sent.messages[at];
  if (fromStart && at === 0 && (before.role === "system" || after?.role === "system"))
    return "system-changed";
  if (after && isReminder(before, after)) return "reminder-moved";
  const kind = kindOfChange(held.keys, sent.keys, at);
  if (kind === "message-inserted" || kind === "message-moved") return kind;
  if (before.role === "assistant") return "assistant-edited";
  const isFirstUser =
    fromStart && !held.messages.slice(0, at).some(({ role }) => role !== "system");
  if (kind === "message-dropped") return isFirstUser ? "truncated" : kind;
  if (before.role === "tool") return "tool-result-edited";
  return isFirstUser && before.role === "user" ? "first-message-edited" : kind;
}

function kindOfChange(held: readonly string[], sent: readonly string[], at: number) {
  const next = held[at + 1];
  if (next !== undefined && next === sent[at + 1]) return "message-edited";
  const after = sent[at];
  const isKept = sent.indexOf(held[at] ?? "", at + 1) >= 0;
  const isLater = after !== undefined && held.indexOf(after, at + 1) >= 0;
  if (isKept) return isLater ? "message-moved" : "message-inserted";
  return isLater || after === undefined ? "message-dropped" : "message-edited";
}

function isReminder(before: Message, after: Message): boolean {
  const texts = [contentText(before), contentText(after)];
  const [was, is] = texts.map((text) =>
    stripTagged(text, "<system-reminder>", "</system-reminder>").trim(),
  );
  return (
    before.role === after.role &&
    texts.some((text) => text.includes("<system-reminder>")) &&
    (was === is || was === "" || is === "")
  );
}
