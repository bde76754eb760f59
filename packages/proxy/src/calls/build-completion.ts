import type { Call, SampledNode } from "@liverl/contract/trajectory";
import { sentToolCalls } from "#tree/canonical-message.ts";

/** A committed turn, as every answer, streamed or not, first or replayed, is made from it. */
export interface CommittedTurn {
  call: Call;
  node: SampledNode;
}

const completionId = (sessionId: string, call: Call) => `chatcmpl-${sessionId}-${call.id}`;
const createdOf = (call: Call) => Math.floor(Date.parse(call.startedAt) / 1000);

function usageOf({ usage }: Call) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.sampledTokens,
    total_tokens: usage.promptTokens + usage.sampledTokens,
  };
}

const finishOf = (call: Call) =>
  call.stopReason === "tool_calls" || call.stopReason === "length" ? call.stopReason : "stop";

function messageOf(node: SampledNode) {
  const calls = sentToolCalls(node.message).map((call) => ({
    id: call.id ?? "",
    type: "function",
    function: { name: call.function.name, arguments: call.function.arguments },
  }));
  const content = typeof node.message.content === "string" ? node.message.content : null;
  return { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

/** OpenAI's `chat.completion`. */
export function buildCompletion(sessionId: string, model: string, { call, node }: CommittedTurn) {
  return {
    id: completionId(sessionId, call),
    object: "chat.completion",
    created: createdOf(call),
    model,
    choices: [
      {
        index: 0,
        message: { ...messageOf(node), refusal: null },
        logprobs: null,
        finish_reason: finishOf(call),
      },
    ],
    usage: usageOf(call),
  };
}

/** OpenAI's `chat.completion.chunk`s of the same answer, in order, without the final `[DONE]`. */
export function buildCompletionChunks(
  sessionId: string,
  model: string,
  { call, node }: CommittedTurn,
  includeUsage: boolean,
) {
  const head = {
    id: completionId(sessionId, call),
    object: "chat.completion.chunk",
    created: createdOf(call),
    model,
  };
  const extra = includeUsage ? { usage: null } : {};
  const chunk = (delta: Record<string, unknown>, finish: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...extra,
  });
  const { content, tool_calls: calls = [] } = messageOf(node);
  return [
    chunk({ role: "assistant", content: "" }),
    ...(content ? [chunk({ content })] : []),
    ...calls.flatMap((toolCall, index) => [
      chunk({
        tool_calls: [
          {
            index,
            id: toolCall.id,
            type: "function",
            function: { name: toolCall.function.name, arguments: "" },
          },
        ],
      }),
      chunk({ tool_calls: [{ index, function: { arguments: toolCall.function.arguments } }] }),
    ]),
    chunk({}, finishOf(call)),
    ...(includeUsage ? [{ ...head, choices: [], usage: usageOf(call) }] : []),
  ];
}
