import type { Message } from "@liverl/contract/trajectory";
import { z } from "zod";
import type { ReadBody } from "#dialects/body/read-body.ts";
import { contentText } from "#dialects/content-text.ts";
import type { ModelRequest } from "#dialects/dialect.ts";
import { keptTools, noTools } from "#dialects/kept-tools.ts";
import { ModelError } from "#dialects/model-error.ts";
import {
  readFields,
  readRoled,
  requestedFields,
  requireList,
  SamplingFields,
} from "#dialects/request-fields.ts";
import type { LosslessValue } from "#json/parse-lossless.ts";

/** Each is looked for after each token. */
const MOST_STOPS = 64;

/** The part of OpenAI's chat request that we act on; all else is recorded or ignored. */
const Fields = SamplingFields.extend({
  tools: z.array(z.looseObject({ type: z.string().optional() })).nullish(),
  tool_choice: z.unknown().optional(),
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
  ...["parallel_tool_calls", "reasoning_effort"],
];

/** What the client wants to hear beside the answer. */
export interface ChatWishes {
  usage: boolean;
  logprobs: boolean;
  /** vLLM's extension: `prompt_token_ids` and `token_ids`. */
  tokenIds: boolean;
}

/** Throws ModelError. */
export function parseChat(body: ReadBody): { request: ModelRequest; wishes: ChatWishes } {
  const fields = readFields(body, Fields);
  requireList(body, "messages");
  if ((fields.n ?? 1) > 1)
    throw ModelError.invalid(
      "n",
      "Only n = 1 is supported: ask again with another seed for another answer.",
    );
  const offered = fields.tool_choice !== "none" && (fields.tools?.length ?? 0) > 0;
  const tools = offered ? keptTools(body, toolText) : noTools;
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
    },
    wishes: {
      usage: fields.stream_options?.include_usage ?? false,
      logprobs: fields.logprobs ?? false,
      tokenIds: fields.return_token_ids ?? false,
    },
  };
}

/** Functions as they are; what no chat template can show (`custom`) is left out. */
function toolText(tool: LosslessValue, source: string): string | null {
  if (tool.kind !== "object") return null;
  const type = new Map(tool.entries).get("type");
  const isFunction = type === undefined || (type.kind === "string" && type.value === "function");
  return isFunction ? source.slice(tool.start, tool.end) : null;
}

/** `developer` is what newer clients call `system`. */
export function foldChat(messages: Message[], element: unknown): void {
  const param = `messages.${messages.length}`;
  const sent = readRoled(element, param);
  const role = sent.role === "developer" ? "system" : sent.role;
  const calls = readToolCalls(sent.tool_calls, `${param}.tool_calls`);
  const content = contentText(sent.content, `${param}.content`);
  messages.push({ ...sent, role, content, ...(calls && { tool_calls: calls }) });
}

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
  const parsed = ToolCalls.safeParse(value);
  if (parsed.success) return parsed.data;
  const at = [param, ...(parsed.error.issues[0]?.path ?? [])].join(".");
  throw ModelError.invalid(
    at,
    "Each tool call must be an object with a function: its name, and its arguments as a string of JSON.",
  );
}
