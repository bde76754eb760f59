import { anthropicError } from "#dialects/anthropic-messages/anthropic-error.ts";
import { foldMessage } from "#dialects/anthropic-messages/fold-message.ts";
import { MessagesStream, messagesAnswer } from "#dialects/anthropic-messages/messages-answer.ts";
import { parseMessages } from "#dialects/anthropic-messages/parse-messages.ts";
import type { Dialect } from "#dialects/dialect.ts";

/** `POST /v1/messages`. */
export const anthropicMessages: Dialect = {
  id: "anthropic-messages",
  listName: "messages",
  fold: foldMessage,
  parse: (body) => ({
    request: parseMessages(body),
    startStream: (head) => new MessagesStream(head),
    answer: messagesAnswer,
  }),
  describeError: anthropicError,
};
