import type { Message } from "@liverl/contract/trajectory";
import { givenText, type Text } from "#jinja/given-text.ts";
import { Dict, type Value } from "#jinja/python-values.ts";
import { type LosslessValue, parseLossless } from "#json/parse-lossless.ts";
import { givenLossless, givenParsed } from "#renderer/given-values.ts";

/** Tool definitions with the text that the client sent, so that the template sees its numbers and key order. */
export interface ToolDefinitions {
  /** The source text, which identifies them. */
  text: string;
  value: LosslessValue;
}

export interface MessageForm {
  /** Whether the template takes the arguments of calls as an object or as the text that the protocol carries. */
  argumentsAs: "object" | "text";
  /** How much of a string in arguments counts as given: a template lays them out and may build a token around a key. */
  mark(text: string): Text;
}

/** Templates build control tokens around these: they are the protocol's words, not a client's. */
const ROLES: readonly unknown[] = ["system", "user", "assistant", "tool", "developer"];

/** Names under which thought is known. `transformers` gives it to templates under the first two. */
const THOUGHT_FIELDS = ["reasoning_content", "thinking", "reasoning"] as const;

/**
 * A message as vLLM and `transformers` hand it to a template: content is one text (parts joined by newlines, none is
 * empty text), arguments of calls are objects (where it takes them), fields that are null are gone, and thought has its names.
 */
export function messageValue(message: Message, form: MessageForm): Value {
  const thought = thoughtOf(message);
  const fields = {
    ...(thought === null ? {} : { thinking: thought }),
    ...message,
    content: contentOf(message.content),
    ...(thought === null ? {} : { reasoning_content: thought }),
  };
  const dict = new Dict();
  for (const [name, field] of Object.entries(fields)) {
    if (field === null || field === undefined) continue;
    const isCalls = name === "tool_calls" && Array.isArray(field);
    dict.set(name, isCalls ? field.map((call) => callValue(call, form)) : givenParsed(field));
  }
  if (ROLES.includes(message.role)) dict.set("role", message.role);
  return dict;
}

/** What an assistant's message says that it thought; null when nothing. */
export function thoughtOf(message: Message): unknown {
  for (const name of THOUGHT_FIELDS) {
    const thought = message[name];
    if (thought !== null && thought !== undefined) return thought;
  }
  return null;
}

/** The message without its thought. */
export function withoutThought(message: Message): Message {
  if (thoughtOf(message) === null) return message;
  const { reasoning_content, thinking, reasoning, ...rest } = message;
  return rest;
}

function contentOf(content: unknown): unknown {
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) return content;
  const texts = content.map((part: unknown) =>
    typeof part === "object" && part !== null && "text" in part ? part.text : null,
  );
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : content;
}

function callValue(call: unknown, { argumentsAs, mark }: MessageForm): Value {
  const value = givenParsed(call);
  const given = (call as { function?: { arguments?: unknown } } | null)?.function?.arguments;
  const called = value instanceof Dict ? value.get("function") : undefined;
  if (called instanceof Dict && typeof given === "string" && argumentsAs === "object")
    called.set("arguments", argumentsValue(given, mark));
  return value;
}

/** Text that is no JSON stays text. */
function argumentsValue(text: string, mark: MessageForm["mark"]): Value {
  try {
    return givenLossless(parseLossless(text.trim() === "" ? "{}" : text), mark);
  } catch (error) {
    if (error instanceof SyntaxError) return givenText(text);
    throw error;
  }
}

/** Throws SyntaxError. */
export function parseTools(text: string): ToolDefinitions {
  const value = parseLossless(text);
  if (value.kind !== "array") throw new SyntaxError("tools must be an array");
  return { text, value };
}
