import type { Message } from "@liverl/contract/trajectory";
import { z } from "zod";
import { contentText } from "#dialects/content-text.ts";
import { ModelError } from "#dialects/model-error.ts";
import { flatName } from "#dialects/openai-responses/tool-texts.ts";
import { readRoled } from "#dialects/request-fields.ts";

const Input = z.looseObject({ type: z.string().optional() });
const Call = z.looseObject({
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().nullish(),
  arguments: z.string().optional(),
  input: z.string().optional(),
});
const ShellCall = z.looseObject({ call_id: z.string(), action: z.unknown() });
const Output = z.looseObject({ call_id: z.string(), output: z.unknown() });
const Summary = z.array(z.looseObject({ text: z.string().optional() })).nullish();
const Reasoning = z.looseObject({
  summary: Summary,
  content: Summary,
  encrypted_content: z.string().nullish(),
});

/**
 * One input item. What an assistant said comes back as several items in the order reasoning, message, calls: together
 * they are one message of the chat template. Items of tools that only OpenAI's servers run say nothing here.
 */
export function foldInput(messages: Message[], element: unknown): void {
  const param = `input.${messages.length}`;
  const { type } = checked(Input, element, param);
  switch (type) {
    case undefined:
    case "message":
      foldSaid(messages, element, param);
      break;
    case "reasoning":
      foldReasoning(messages, checked(Reasoning, element, param));
      break;
    case "function_call":
    case "custom_tool_call":
      foldCall(messages, type, checked(Call, element, param));
      break;
    case "local_shell_call":
      foldShellCall(messages, checked(ShellCall, element, param));
      break;
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      foldOutput(messages, checked(Output, element, param), `${param}.output`);
      break;
    case "item_reference":
      throw ModelError.invalid(
        param,
        "Single items are not kept: send the item itself, or the answer's id as previous_response_id.",
      );
  }
}

function foldShellCall(messages: Message[], { call_id, action }: z.infer<typeof ShellCall>): void {
  const text = JSON.stringify(action ?? {});
  foldCall(messages, "function_call", { call_id, name: "local_shell", arguments: text });
}

function foldOutput(
  messages: Message[],
  { call_id, output }: z.infer<typeof Output>,
  param: string,
): void {
  messages.push({ role: "tool", tool_call_id: call_id, content: outputText(output, param) });
}

function foldSaid(messages: Message[], element: unknown, param: string): void {
  const sent = readRoled(element, param);
  const role = sent.role === "developer" ? "system" : sent.role;
  const content = contentText(sent.content, `${param}.content`);
  const last = messages.at(-1);
  if (role === "assistant" && last?.role === "assistant" && isOnlyThought(last))
    messages[messages.length - 1] = { ...last, content };
  else messages.push({ role, content });
}

function foldReasoning(messages: Message[], item: z.infer<typeof Reasoning>): void {
  const texts = (item.content?.length ? item.content : (item.summary ?? [])).map(
    ({ text }) => text ?? "",
  );
  const last = messages.at(-1);
  const open = last?.role === "assistant" && isOnlyThought(last) ? last : null;
  const thought = [open?.reasoning_content, ...texts].filter((text) => text).join("\n");
  const message = {
    role: "assistant",
    content: null,
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(item.encrypted_content ? { signature: item.encrypted_content } : {}),
  };
  if (open) messages[messages.length - 1] = message;
  else messages.push(message);
}

const isOnlyThought = (message: Message) =>
  message.content === null && message.tool_calls === undefined;

function foldCall(messages: Message[], type: string, item: z.infer<typeof Call>): void {
  const text =
    type === "custom_tool_call" ? JSON.stringify({ input: item.input ?? "" }) : item.arguments;
  const call = {
    id: item.call_id,
    type: "function",
    function: { name: flatName(item.namespace ?? null, item.name), arguments: text ?? "{}" },
  };
  const last = messages.at(-1);
  if (last?.role === "assistant") {
    const calls = Array.isArray(last.tool_calls) ? last.tool_calls : [];
    messages[messages.length - 1] = { ...last, tool_calls: [...calls, call] };
  } else messages.push({ role: "assistant", content: null, tool_calls: [call] });
}

/** Text, parts, or whatever a client's tool gave as JSON. */
function outputText(output: unknown, param: string): string {
  if (typeof output === "object" && output !== null && !Array.isArray(output))
    return JSON.stringify(output);
  return contentText(output, param) ?? "";
}

function checked<S extends z.ZodType>(schema: S, element: unknown, param: string): z.infer<S> {
  const parsed = schema.safeParse(element);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw ModelError.invalid(
    [param, ...(issue?.path ?? [])].join("."),
    issue?.message ?? "The item is not as its type has it.",
  );
}
