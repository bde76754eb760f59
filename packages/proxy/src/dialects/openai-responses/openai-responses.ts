import type { Dialect } from "#dialects/dialect.ts";
import { openAiError } from "#dialects/openai-error.ts";
import { foldInput } from "#dialects/openai-responses/fold-input.ts";
import { parseResponses } from "#dialects/openai-responses/parse-responses.ts";
import { responsesAnswer } from "#dialects/openai-responses/responses-answer.ts";
import { ResponsesStream } from "#dialects/openai-responses/responses-stream.ts";
import { toolOrigins } from "#dialects/openai-responses/tool-texts.ts";

/** `POST /v1/responses`. */
export const openAiResponses: Dialect = {
  id: "openai-responses",
  listName: "input",
  fold: foldInput,
  parse: (body) => {
    const origins = toolOrigins(body.field("tools"));
    return {
      request: parseResponses(body),
      startStream: (head) => new ResponsesStream(head, origins),
      answer: (head, turn) => responsesAnswer(head, origins, turn),
    };
  },
  describeError: openAiError,
};
