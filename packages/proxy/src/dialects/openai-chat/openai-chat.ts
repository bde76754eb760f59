import type { Dialect } from "#dialects/dialect.ts";
import { ChatStream, chatAnswer } from "#dialects/openai-chat/chat-answer.ts";
import { foldChat, parseChat } from "#dialects/openai-chat/parse-chat.ts";
import { openAiError } from "#dialects/openai-error.ts";

/** `POST /v1/chat/completions`. */
export const openAiChat: Dialect = {
  id: "openai-chat",
  listName: "messages",
  fold: foldChat,
  parse: (body) => {
    const { request, wishes } = parseChat(body);
    return {
      request,
      startStream: (head) => new ChatStream(head, wishes),
      answer: (head, turn) => chatAnswer(head, wishes, turn),
    };
  },
  describeError: openAiError,
};
