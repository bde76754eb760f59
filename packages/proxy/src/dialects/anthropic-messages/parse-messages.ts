import { z } from "zod";
import { systemText } from "#dialects/anthropic-messages/system-text.ts";
import type { ReadBody } from "#dialects/body/read-body.ts";
import type { ModelRequest } from "#dialects/dialect.ts";
import { keptTools, noTools } from "#dialects/kept-tools.ts";
import {
  ignoredFields,
  readFields,
  requestedFields,
  requireList,
  SamplingFields,
} from "#dialects/request-fields.ts";
import { effortWish, templateWishes, thinkingWish } from "#dialects/template-wishes.ts";
import type { LosslessValue } from "#json/parse-lossless.ts";
import { canonicalMessage } from "#tree/canonical-message.ts";

/** The part of Anthropic's Messages request that we act on; all else is recorded or ignored. */
export const MessagesFields = SamplingFields.extend({
  system: z.unknown().optional(),
  tools: z.array(z.looseObject({ name: z.string().optional() })).nullish(),
  tool_choice: z.looseObject({ type: z.string() }).nullish(),
  stream: z.boolean().nullish(),
  max_tokens: z.number().int().positive().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  output_format: z.looseObject({ type: z.string() }).nullish(),
  output_config: z
    .looseObject({
      effort: z.string().nullish(),
      format: z.looseObject({ type: z.string() }).nullish(),
    })
    .nullish(),
});

const REQUESTED = [
  ...["model", "temperature", "top_p", "top_k", "max_tokens", "stop_sequences", "tool_choice"],
  ...["thinking", "output_config", "service_tier", "chat_template_kwargs", "enable_thinking"],
];

/** Asked of Anthropic's servers alone. */
const IGNORED = ["mcp_servers", "container", "context_management", "service_tier", "fallbacks"];

/** Throws ModelError. */
export function parseMessages(body: ReadBody): ModelRequest {
  const fields = readFields(body, MessagesFields);
  requireList(body, "messages");
  const offered = fields.tool_choice?.type !== "none" && (fields.tools?.length ?? 0) > 0;
  const system = systemText(fields.system);
  const systemMessage = system === "" ? [] : [{ role: "system", content: system }];
  const tools = offered ? keptTools(body, "tools", toolText) : noTools;
  const format = fields.output_config?.format ?? fields.output_format;
  return {
    messages: [...systemMessage, ...body.messages],
    keys: [...systemMessage.map(canonicalMessage), ...body.keys],
    ...tools,
    stream: fields.stream ?? false,
    maxTokens: fields.max_tokens ?? null,
    temperature: fields.temperature ?? null,
    topP: fields.top_p ?? null,
    seed: null,
    stop: (fields.stop_sequences ?? []).filter((word) => word !== ""),
    wantsDocument: format?.type === "json_schema",
    continues: null,
    requested: requestedFields(body, REQUESTED),
    templateWishes: [
      ...templateWishes(body),
      ...thinkingWish(body.field("thinking")),
      ...effortWish("output_config.effort", fields.output_config?.effort),
    ],
    ignored: [
      ...ignoredFields(body, IGNORED),
      ...(["any", "tool"].includes(fields.tool_choice?.type ?? "") ? ["tool_choice"] : []),
      ...(fields.tool_choice?.disable_parallel_tool_use === true
        ? ["tool_choice.disable_parallel_tool_use"]
        : []),
      ...(format ? [fields.output_config?.format ? "output_config.format" : "output_format"] : []),
      ...tools.ignoredTools,
    ],
  };
}

/** As a function definition. Server tools (`type: "web_search_…"`) have no schema and run nowhere here: they are left out. */
function toolText(tool: LosslessValue, source: string): string | null {
  if (tool.kind !== "object") return null;
  const fields = new Map(tool.entries);
  const text = (name: string) => {
    const value = fields.get(name);
    return value ? source.slice(value.start, value.end) : null;
  };
  const name = fields.get("name");
  const schema = text("input_schema");
  if (name?.kind !== "string" || schema === null) return null;
  const description = text("description");
  const described = description === null ? "" : `, "description": ${description}`;
  return `{"type": "function", "function": {"name": ${text("name")}${described}, "parameters": ${schema}}}`;
}
