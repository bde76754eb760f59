import { type CommittedTurn, saidBy } from "#calls/committed-turn.ts";
import { customInput } from "#dialects/custom-input.ts";
import type { AnswerHead } from "#dialects/dialect.ts";
import type { ToolOrigin } from "#dialects/openai-responses/tool-texts.ts";

/** One thing that a response holds. */
export type OutputItem = Record<string, unknown> & { id: string; type: string };

export const responseId = ({ sessionId, callId }: AnswerHead) => `resp_${sessionId}_${callId}`;
export const itemId = (prefix: string, { sessionId, callId }: AnswerHead, index: number) =>
  `${prefix}_${sessionId}_${callId}_${index}`;

/** OpenAI's `response`, as far as it is known: before the turn, with no output. */
export function responseObject(
  head: AnswerHead,
  status: "in_progress" | "completed" | "incomplete" | "failed",
  output: readonly OutputItem[],
  turn: CommittedTurn | null,
) {
  return {
    id: responseId(head),
    object: "response",
    created_at: head.created,
    status,
    error: null,
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: head.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: null,
    truncation: "disabled",
    usage: turn && usageOf(turn),
  };
}

function usageOf({ call: { usage } }: CommittedTurn) {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.sampledTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.promptTokens + usage.sampledTokens,
  };
}

export const statusOf = ({ call }: CommittedTurn) =>
  call.stopReason === "length" ? "incomplete" : "completed";

/** `encrypted_content` names the turn: a client that returns it is known by it. */
export function reasoningItem(head: AnswerHead, index: number, text: string): OutputItem {
  return {
    id: itemId("rs", head, index),
    type: "reasoning",
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    encrypted_content: Buffer.from(`${head.sessionId}#${head.callId}`, "utf8").toString("base64"),
  };
}

export function messageItem(
  head: AnswerHead,
  index: number,
  text: string,
  status: "in_progress" | "completed" | "incomplete",
): OutputItem {
  return {
    id: itemId("msg", head, index),
    type: "message",
    role: "assistant",
    status,
    content: status === "in_progress" ? [] : [textPart(text)],
  };
}

export const textPart = (text: string) => ({
  type: "output_text",
  text,
  annotations: [],
  logprobs: [],
});

/** A call in the form in which the client defined the tool; what it did not define is a function. */
export function callItem(
  head: AnswerHead,
  index: number,
  call: { id: string; name: string; arguments: string },
  origins: ReadonlyMap<string, ToolOrigin>,
): OutputItem {
  const origin = origins.get(call.name);
  const shared = { call_id: call.id, name: origin?.name ?? call.name, status: "completed" };
  if (origin?.type === "custom")
    return {
      id: itemId("ctc", head, index),
      type: "custom_tool_call",
      ...shared,
      input: customInput(call.arguments),
    };
  return {
    id: itemId("fc", head, index),
    type: "function_call",
    ...shared,
    ...(origin?.namespace ? { namespace: origin.namespace } : {}),
    arguments: call.arguments,
  };
}

/** OpenAI's whole `response`. */
export function responsesAnswer(
  head: AnswerHead,
  origins: ReadonlyMap<string, ToolOrigin>,
  turn: CommittedTurn,
) {
  const { reasoning, content, toolCalls } = saidBy(turn.node);
  const output: OutputItem[] = [];
  if (reasoning !== "") output.push(reasoningItem(head, 0, reasoning));
  if (content !== "" || toolCalls.length === 0)
    output.push(messageItem(head, output.length, content, statusOf(turn)));
  for (const call of toolCalls) output.push(callItem(head, output.length, call, origins));
  return responseObject(head, statusOf(turn), output, turn);
}
