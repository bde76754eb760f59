import type { Message } from "@liverl/contract/trajectory";
import { z } from "zod";
import { canonicalJson } from "#json/canonical-json.ts";
import { parseLossless } from "#json/parse-lossless.ts";
import { stripTagged } from "#tree/strip-tagged.ts";

/** A tool call as any client may send it back; ids are not part of identity. */
export const SentToolCall = z.looseObject({
  id: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.string().default("") }),
});
const SentToolCalls = z.array(SentToolCall);

/**
 * One text for all forms of a message that mean the same: spacing and key order of arguments, tool ids,
 * empty and absent content, and thinking that a client keeps or drops make no difference.
 */
export function canonicalMessage(message: Message): string {
  const text = contentText(message);
  if (message.role !== "assistant")
    return JSON.stringify([message.role, text, message.name ?? null]);
  const calls = sentToolCalls(message).map((call) => [
    call.function.name,
    canonicalArguments(call.function.arguments),
  ]);
  return JSON.stringify(["assistant", stripTagged(text, "<think>", "</think>").trim(), calls]);
}

export function contentText(message: Message): string {
  return typeof message.content === "string" ? message.content : "";
}

export function sentToolCalls(message: Message): z.infer<typeof SentToolCalls> {
  return SentToolCalls.safeParse(message.tool_calls ?? []).data ?? [];
}

/** A message never changes, and every later call repeats it. */
const CALL_IDS = new WeakMap<Message, readonly string[]>();

/** Ids that we gave to a turn's calls and that a faithful client sends back. */
export function toolCallIds(message: Message): readonly string[] {
  const held = CALL_IDS.get(message);
  if (held) return held;
  const ids = sentToolCalls(message).flatMap((call) => call.id ?? []);
  CALL_IDS.set(message, ids);
  return ids;
}

function canonicalArguments(text: string): string {
  try {
    return canonicalJson(parseLossless(text.trim() === "" ? "{}" : text));
  } catch (error) {
    if (error instanceof SyntaxError) return `text:${text.trim()}`;
    throw error;
  }
}
