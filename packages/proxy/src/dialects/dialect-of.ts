import type { DialectId } from "@liverl/contract/trajectory";
import { anthropicMessages } from "#dialects/anthropic-messages/anthropic-messages.ts";
import type { Dialect } from "#dialects/dialect.ts";
import { openAiChat } from "#dialects/openai-chat/openai-chat.ts";
import { openAiResponses } from "#dialects/openai-responses/openai-responses.ts";

const DIALECTS = {
  "openai-chat": openAiChat,
  "openai-responses": openAiResponses,
  "anthropic-messages": anthropicMessages,
} as const satisfies Record<DialectId, Dialect>;

export const dialectOf = (id: DialectId): Dialect => DIALECTS[id];
