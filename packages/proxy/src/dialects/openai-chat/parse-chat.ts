import type { Message } from "@liverl/contract/trajectory";
import { z } from "zod";
import type { ReadBody } from "#dialects/body/read-body.ts";
import { contentText } from "#dialects/content-text.ts";
import type { ModelRequest } from "#dialects/dialect.ts";
import { keptTools, noTools } from "#dialects/kept-tools.ts";
import { ModelError } from "#dialects/model-error.ts";
import {
  checked,
  ignoredFields,
  readFields,
  readRoled,
  requestedFields,
  requireList,
  SamplingFields,
} from "#dialects/request-fields.ts";
import { effortWish, templateWishes } from "#dialects/template-wishes.ts";
import type { LosslessValue } from "#json/parse-lossless.ts";
import { sentToolCalls } from "#tree/canonical-message.ts";

/** Each is looked for after each token. */
const MOST_STOPS = 64;

/** The part of OpenAI's chat request that we act on; all else is recorded or ignored. */
export const ChatFields = SamplingFields.extend({
  tools: z.array(z.looseObject({ type: z.string().optional() })).nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  /** What `tools` and `tool_choice` were before 2024. */
  functions: z.array(z.looseObject({ name: z.string() })).nullish(),
  function_call: z.union([z.string(), z.looseObject({ name: z.string() })]).nullish(),
  modalities: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.number().int().nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(MOST_STOPS)]).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  logprobs: z.boolean().nullish(),
  return_token_ids: z.boolean().nullish(),
});

const REQUESTED = [
  ...[
    "model",
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "stop",
  ],
  ...[
    "presence_penalty",
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "tool_choice",
  ],
  ...["parallel_tool_calls", "reasoning_effort", "chat_template_kwargs", "enable_thinking"],
];

const IGNORED = ["web_search_options", "prediction", "verbosity", "audio", "moderation"];

/** What the client wants to hear beside the answer. */
export interface ChatWishes {
  usage: boolean;
  logprobs: boolean;
  /** vLLM's extension: `prompt_token_ids` and `token_ids`. */
  tokenIds: boolean;
  /** The client offered `functions`: a call is answered as `function_call`. */
  functionCall: boolean;
  /** Names of `custom` tools, whose input is text. */
  customTools: ReadonlySet<string>;
}

/** Throws ModelError. */
export function parseChat(body: ReadBody): { request: ModelRequest; wishes: ChatWishes } {
  const fields = readFields(body, ChatFields);
  requireList(body, "messages");
  if ((fields.n ?? 1) > 1)
    throw ModelError.invalid(
      "n",
      "Only n = 1 is supported: ask again with another seed for another answer.",
    );
  if (fields.modalities?.some((modality) => modality !== "text"))
    throw ModelError.invalid("modalities", 'Only "text" is supported.');
  const { tools, choice, isOld } = offeredTools(body, fields);
  const { stop } = fields;
  return {
    request: {
      messages: body.messages,
      keys: body.keys,
      ...tools,
      stream: fields.stream ?? false,
      maxTokens: fields.max_completion_tokens ?? fields.max_tokens ?? null,
      temperature: fields.temperature ?? null,
      topP: fields.top_p ?? null,
      seed: fields.seed ?? null,
      stop: (typeof stop === "string" ? [stop] : (stop ?? [])).filter((word) => word !== ""),
      wantsDocument: fields.response_format?.type === "json_schema",
      continues: null,
      requested: requestedFields(body, REQUESTED),
      templateWishes: [
        ...templateWishes(body),
        ...effortWish("reasoning_effort", body.field("reasoning_effort")),
      ],
      ignored: [
        ...ignoredFields(body, IGNORED),
        ...(choice === null ? [] : [choice]),
        ...(fields.parallel_tool_calls === false ? ["parallel_tool_calls"] : []),
        ...((fields.response_format?.type ?? "text") === "text" ? [] : ["response_format"]),
        ...tools.ignoredTools,
      ],
    },
    wishes: {
      usage: fields.stream_options?.include_usage ?? false,
      logprobs: fields.logprobs ?? false,
      tokenIds: fields.return_token_ids ?? false,
      functionCall: isOld,
      customTools: new Set(
        fields.tools?.flatMap(({ type, custom }) =>
          type === "custom" ? (nameOf(custom) ?? []) : [],
        ),
      ),
    },
  };
}

/** The tools of a request, and the field that demands or forbids a choice that the model is left to make. */
function offeredTools(body: ReadBody, fields: z.infer<typeof ChatFields>) {
  const isOld = (fields.tools?.length ?? 0) === 0 && (fields.functions?.length ?? 0) > 0;
  const choice = isOld ? fields.function_call : fields.tool_choice;
  const list = isOld ? fields.functions : fields.tools;
  const isOffered = choice !== "none" && (list?.length ?? 0) > 0;
  const tools = isOld
    ? keptTools(body, "functions", functionText)
    : keptTools(body, "tools", toolText);
  const isDemanded =
    choice !== undefined && choice !== null && choice !== "none" && choice !== "auto";
  return {
    isOld,
    tools: isOffered ? tools : noTools,
    choice: isDemanded ? (isOld ? "function_call" : "tool_choice") : null,
  };
}

const nameOf = (value: unknown) => z.looseObject({ name: z.string() }).safeParse(value).data?.name;

const functionText = (tool: LosslessValue, source: string) =>
  `{"type": "function", "function": ${source.slice(tool.start, tool.end)}}`;

/** Functions as they are; a `custom` tool is a function whose only parameter is its text. */
function toolText(tool: LosslessValue, source: string): string | null {
  if (tool.kind !== "object") return null;
  const fields = new Map(tool.entries);
  const type = fields.get("type");
  if (type === undefined || (type.kind === "string" && type.value === "function"))
    return source.slice(tool.start, tool.end);
  const custom = fields.get("custom");
  if (type.kind !== "string" || type.value !== "custom" || custom?.kind !== "object") return null;
  const text = (name: string) => {
    const value = new Map(custom.entries).get(name);
    return value ? source.slice(value.start, value.end) : null;
  };
  const described = text("description") === null ? "" : `, "description": ${text("description")}`;
  return `{"type": "function", "function": {"name": ${text("name")}${described}, "parameters": {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}}}`;
}

const ROLES = ["user", "assistant", "system", "developer", "tool", "function"];
const FunctionCall = z.looseObject({ name: z.string(), arguments: z.string().default("{}") });

/** `developer` is what newer clients call `system`; `function_call` and the role `function` are older names of calls and results. */
export function foldChat(messages: Message[], element: unknown, _raw: string, index: number): void {
  const param = `messages.${index}`;
  const { function_call, refusal, audio, ...sent } = readRoled(element, param, ROLES);
  const text = contentText(sent.content, `${param}.content`);
  const said = [
    text,
    typeof refusal === "string" ? refusal : null,
    audio ? "[audio omitted]" : null,
  ];
  const texts = said.filter((one) => one !== null);
  const content = texts.length === 0 ? null : texts.join("\n");
  if (sent.role === "function") {
    messages.push({
      ...sent,
      role: "tool",
      content,
      tool_call_id: functionCallId(messages, sent.name),
    });
    return;
  }
  const calls = readToolCalls(sent.tool_calls, `${param}.tool_calls`);
  const old = checked(FunctionCall.nullish(), function_call, `${param}.function_call`);
  const isNew = old && !calls?.length;
  const id = `function_call_${index}`;
  const made = isNew ? [{ id, type: "function", function: old }] : calls;
  const role = sent.role === "developer" ? "system" : sent.role;
  messages.push({ ...sent, role, content, ...(made && { tool_calls: made }) });
}

/** Results of old clients name the function, not the call: the last one of that name. */
function functionCallId(messages: readonly Message[], name: unknown): string | undefined {
  const turn = messages.findLast(({ role }) => role === "assistant");
  const calls = turn ? sentToolCalls(turn) : [];
  return (calls.findLast((call) => call.function.name === name) ?? calls.at(-1))?.id;
}

const CustomCall = z
  .looseObject({
    type: z.literal("custom"),
    custom: z.looseObject({ name: z.string(), input: z.string() }),
  })
  .transform(({ custom: { name, input }, ...call }) => ({
    ...call,
    type: "function",
    function: { name, arguments: JSON.stringify({ input }) },
  }));

const ToolCalls = z
  .array(
    z.looseObject({
      id: z.string().optional(),
      function: z.looseObject({
        name: z.string(),
        arguments: z
          .union([
            z.string(),
            z.record(z.string(), z.unknown()).transform((it) => JSON.stringify(it)),
          ])
          .optional(),
      }),
    }),
  )
  .nullish();

/** Calls with their arguments as text, as the protocol has them; some clients send the object. */
function readToolCalls(value: unknown, param: string): z.infer<typeof ToolCalls> {
  const parsed = ToolCalls.safeParse(
    Array.isArray(value) ? value.map((call) => CustomCall.safeParse(call).data ?? call) : value,
  );
  if (parsed.success) return parsed.data;
  const at = [param, ...(parsed.error.issues[0]?.path ?? [])].join(".");
  throw ModelError.invalid(
    at,
    "Each tool call must be an object with a function: its name, and its arguments as a string of JSON.",
  );
}
