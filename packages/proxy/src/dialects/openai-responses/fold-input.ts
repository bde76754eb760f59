import type { Message } from "@liverl/contract/trajectory";
import { z } from "zod";
import { contentText, type Part, partText } from "#dialects/content-text.ts";
import { ModelError } from "#dialects/model-error.ts";
import { flatName } from "#dialects/openai-responses/tool-texts.ts";
import { checked, readRoled } from "#dialects/request-fields.ts";
import { toolCallIds } from "#tree/canonical-message.ts";

const Input = z.looseObject({
  type: z.string().nullish(),
  role: z.unknown().optional(),
  id: z.unknown().optional(),
});
const Call = z.looseObject({
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().nullish(),
  arguments: z.string().optional(),
  input: z.string().optional(),
});
/** Some outputs and calls have no id of their call in the vendor's types. */
const CallId = z.string().nullish();
const Output = z.looseObject({ call_id: CallId, output: z.unknown().optional() });
const OwnCall = z.looseObject({ call_id: CallId, id: CallId });
const ServerCall = z.looseObject({ id: z.string(), name: z.string().optional() });
const Summary = z.array(z.looseObject({ text: z.string().optional() })).nullish();
const Reasoning = z.looseObject({
  summary: Summary,
  content: Summary,
  encrypted_content: z.string().nullish(),
});

const ROLES = ["user", "assistant", "system", "developer"];
/** Calls of tools that OpenAI defines and the client runs: the tool's name, and the field that says what to do. */
const CLIENT_TOOLS: Record<string, readonly [name: string, field: string]> = {
  local_shell_call: ["local_shell", "action"],
  shell_call: ["shell", "action"],
  apply_patch_call: ["apply_patch", "operation"],
  computer_call: ["computer", "action"],
  tool_search_call: ["tool_search", "arguments"],
};
/** Calls that OpenAI's servers ran: the fields of what was asked for and of what came. */
const SERVER_TOOLS: Record<string, readonly [asked: readonly string[], came: readonly string[]]> = {
  web_search_call: [["action"], ["results"]],
  file_search_call: [["queries"], ["results"]],
  code_interpreter_call: [["code"], ["outputs"]],
  mcp_call: [["arguments"], ["output", "error"]],
  image_generation_call: [[], []],
};
const OUTPUTS = [
  ...["function_call_output", "custom_tool_call_output", "local_shell_call_output"],
  ...["shell_call_output", "apply_patch_call_output", "computer_call_output"],
];

/**
 * One input item. What an assistant said comes back as several items in the order reasoning, message, calls: together
 * they are one message of the chat template. Throws ModelError for items that no text can stand for.
 */
export function foldInput(
  messages: Message[],
  element: unknown,
  _raw: string,
  index: number,
): void {
  const param = `input.${index}`;
  const item = checked(Input, element, param);
  const isReference = item.type == null && item.role === undefined && item.id !== undefined;
  const type = item.type ?? (isReference ? "item_reference" : "message");
  if (type === "message") foldSaid(messages, element, param);
  else if (type === "reasoning") foldReasoning(messages, checked(Reasoning, element, param));
  else if (type === "function_call" || type === "custom_tool_call")
    foldCall(messages, type, checked(Call, element, param));
  else if (OUTPUTS.includes(type)) foldOutput(messages, checked(Output, element, param), param);
  else if (type === "tool_search_output")
    foldOutput(
      messages,
      { ...checked(OwnCall, element, param), output: JSON.stringify(item.tools ?? []) },
      param,
    );
  else if (Object.hasOwn(CLIENT_TOOLS, type))
    foldClientTool(messages, type, checked(OwnCall, element, param));
  else if (Object.hasOwn(SERVER_TOOLS, type))
    foldServerTool(messages, type, checked(ServerCall, element, param));
  else if (type === "item_reference")
    throw ModelError.invalid(
      param,
      "Single items are not kept. Send the item itself, or the answer's id as previous_response_id.",
    );
  else
    throw ModelError.invalid(
      param,
      `An item of type ${JSON.stringify(type.slice(0, 60))} is not supported. Leave it out, or send its content as a message.`,
    );
}

function foldClientTool(messages: Message[], type: string, item: z.infer<typeof OwnCall>): void {
  const [name, field] = CLIENT_TOOLS[type] ?? [type, "action"];
  const asked = item[field] ?? item.actions ?? {};
  const text = typeof asked === "string" ? asked : JSON.stringify(asked);
  const id = item.call_id ?? item.id ?? `${type}_${messages.length}`;
  foldCall(messages, "function_call", { call_id: id, name, arguments: text });
}

function foldServerTool(messages: Message[], type: string, item: z.infer<typeof ServerCall>): void {
  const [asked, came] = SERVER_TOOLS[type] ?? [[], []];
  const firstOf = (fields: readonly string[]) =>
    fields.map((field) => item[field]).find((value) => value !== undefined && value !== null);
  const input = firstOf(asked);
  const isJson = type === "mcp_call" && typeof input === "string";
  const text = isJson ? input : JSON.stringify(isObject(input) ? input : fieldOf(asked, input));
  const name = item.name ?? type.replace(/_call$/, "");
  foldCall(messages, "function_call", { call_id: item.id, name, arguments: text });
  const output =
    firstOf(came) ?? (type === "image_generation_call" ? "[image omitted]" : item.status);
  const said = typeof output === "string" ? output : JSON.stringify(output ?? "");
  messages.push({ role: "tool", tool_call_id: item.id, content: said });
}

const isObject = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const fieldOf = ([name]: readonly string[], value: unknown) =>
  name === undefined || value === undefined ? {} : { [name]: value };

function foldOutput(messages: Message[], item: z.infer<typeof Output>, param: string): void {
  const text = outputText(item.output, `${param}.output`);
  const content = text === "" && typeof item.status === "string" ? item.status : text;
  const turn = messages.findLast(({ role }) => role === "assistant");
  const id = item.call_id ?? (turn && toolCallIds(turn).at(-1)) ?? "";
  messages.push({ role: "tool", tool_call_id: id, content });
}

function foldSaid(messages: Message[], element: unknown, param: string): void {
  const sent = readRoled(element, param, ROLES);
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
  const isForeign = texts.length === 0 && item.encrypted_content && !isOurs(item.encrypted_content);
  const note = isForeign ? "[encrypted reasoning omitted]" : null;
  const thought = [open?.reasoning_content, ...texts, note].filter((text) => text).join("\n");
  const message = {
    role: "assistant",
    content: null,
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(item.encrypted_content ? { signature: item.encrypted_content } : {}),
  };
  if (open) messages[messages.length - 1] = message;
  else messages.push(message);
}

/** Whether it names a turn of a session, as our own answers do. */
const isOurs = (encrypted: string) =>
  /^[^#]{1,200}#\d{1,9}$/.test(Buffer.from(encrypted, "base64").toString());

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

/** Text, parts, or what a client's tool gave as JSON, such as a shell's list of outputs. */
function outputText(output: unknown, param: string): string {
  if (isObject(output)) {
    const isScreenshot = (output as { type?: unknown }).type === "computer_screenshot";
    return isScreenshot ? partText(output as Part, param) : JSON.stringify(output);
  }
  const isParts = z
    .array(z.union([z.string(), z.looseObject({ type: z.string() })]))
    .safeParse(output).success;
  if (Array.isArray(output) && !isParts) return JSON.stringify(output);
  return contentText(output, param) ?? "";
}
