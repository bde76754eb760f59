import { z } from "zod";
import type { ReadBody } from "#dialects/body/read-body.ts";
import type { ModelRequest } from "#dialects/dialect.ts";
import { keptTools, noTools } from "#dialects/kept-tools.ts";
import { ModelError } from "#dialects/model-error.ts";
import { toolTexts } from "#dialects/openai-responses/tool-texts.ts";
import {
  ignoredFields,
  readFields,
  refuseFields,
  requestedFields,
  requireList,
  SamplingFields,
} from "#dialects/request-fields.ts";
import { effortWish, templateWishes } from "#dialects/template-wishes.ts";
import { canonicalMessage } from "#tree/canonical-message.ts";

/** The part of OpenAI's Responses request that we act on; all else is recorded or ignored. */
export const ResponsesFields = SamplingFields.extend({
  input: z.string().optional(),
  instructions: z.string().nullish(),
  tools: z.array(z.looseObject({ type: z.string().optional() })).nullish(),
  tool_choice: z.unknown().optional(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.number().int().positive().nullish(),
  previous_response_id: z.string().nullish(),
  background: z.boolean().nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
});

const REQUESTED = [
  ...["model", "temperature", "top_p", "max_output_tokens", "tool_choice", "parallel_tool_calls"],
  ...["reasoning", "text", "truncation", "store", "chat_template_kwargs", "enable_thinking"],
];
const RESPONSE_ID = /^resp_.+_(\d{1,9})$/;

const IGNORED = ["max_tool_calls", "top_logprobs", "service_tier", "context_management"];
/** What only OpenAI's servers hold. */
const REFUSED = {
  conversation:
    "Conversations are not kept. Send all items, or the answer's id as previous_response_id.",
  prompt: "Stored prompts are not kept. Send their text as instructions.",
};

/** Throws ModelError. */
export function parseResponses(body: ReadBody): ModelRequest {
  const fields = readFields(body, ResponsesFields);
  refuseFields(body, REFUSED);
  if (fields.background)
    throw ModelError.invalid("background", "Background responses are not kept: ask for a stream.");
  const { input, instructions } = fields;
  if (input === undefined) requireList(body, "input");
  const head = instructions ? [{ role: "system", content: instructions }] : [];
  const said = input === undefined ? [] : [{ role: "user", content: input }];
  const offered = fields.tool_choice !== "none" && (fields.tools?.length ?? 0) > 0;
  const tools = offered ? keptTools(body, "tools", toolTexts) : noTools;
  const choice = fields.tool_choice;
  const format = fields.text?.format?.type;
  return {
    messages: [...head, ...body.messages, ...said],
    keys: [...head.map(canonicalMessage), ...body.keys, ...said.map(canonicalMessage)],
    ...tools,
    stream: fields.stream ?? false,
    maxTokens: fields.max_output_tokens ?? null,
    temperature: fields.temperature ?? null,
    topP: fields.top_p ?? null,
    seed: null,
    stop: [],
    wantsDocument: format === "json_schema",
    continues: callOf(fields.previous_response_id ?? null),
    requested: requestedFields(body, REQUESTED),
    templateWishes: [
      ...templateWishes(body),
      ...effortWish("reasoning.effort", fields.reasoning?.effort),
    ],
    ignored: [
      ...ignoredFields(body, IGNORED),
      ...(choice == null || choice === "auto" || choice === "none" ? [] : ["tool_choice"]),
      ...(fields.parallel_tool_calls === false ? ["parallel_tool_calls"] : []),
      ...(format !== undefined && format !== "text" ? ["text.format"] : []),
      ...tools.ignoredTools,
    ],
  };
}

/** Answers are kept as long as their session is open, by the id that they were given. */
function callOf(responseId: string | null): number | null {
  if (responseId === null) return null;
  const id = RESPONSE_ID.exec(responseId)?.[1];
  if (id === undefined)
    throw new ModelError(
      "invalid",
      `There is no response ${responseId.slice(0, 100)} in this session.`,
      {
        param: "previous_response_id",
        code: "previous_response_not_found",
      },
    );
  return Number(id);
}
