import { z } from "zod";
import type { Message } from "#trajectory.ts";

const TextPart = z.looseObject({ text: z.string() });
const ToolCall = z.looseObject({
  id: z.string().default(""),
  function: z.looseObject({ name: z.string(), arguments: z.unknown() }),
});

export interface ReadToolCall {
  id: string;
  name: string;
  argumentsText: string;
  arguments: Record<string, unknown>;
}

/** Text of a message as a person reads it: a string, or the text parts of a list. */
export function textOfMessage(message: Message): string {
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((part: unknown) => TextPart.safeParse(part).data?.text ?? []).join("\n");
}

/** Tool calls of an assistant's message; arguments come as JSON text or as an object. */
export function toolCallsOfMessage(message: Message): ReadToolCall[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return calls.flatMap((call: unknown) => {
    const parsed = ToolCall.safeParse(call);
    if (!parsed.success) return [];
    const raw = parsed.data.function.arguments;
    const argumentsText = typeof raw === "string" ? raw : JSON.stringify(raw ?? {});
    return [
      {
        id: parsed.data.id,
        name: parsed.data.function.name,
        argumentsText,
        arguments: parseArguments(argumentsText),
      },
    ];
  });
}

function parseArguments(text: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).catch({}).parse(JSON.parse(text));
  } catch {
    return {};
  }
}
