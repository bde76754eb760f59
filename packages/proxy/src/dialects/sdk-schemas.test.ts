import type Anthropic from "@anthropic-ai/sdk";
import type { Message } from "@liverl/contract/trajectory";
import type OpenAI from "openai";
import { expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import { anthropicMessages } from "#dialects/anthropic-messages/anthropic-messages.ts";
import type { MessagesFields } from "#dialects/anthropic-messages/parse-messages.ts";
import { readBody } from "#dialects/body/read-body.ts";
import type { Dialect } from "#dialects/dialect.ts";
import { ModelError } from "#dialects/model-error.ts";
import { openAiChat } from "#dialects/openai-chat/openai-chat.ts";
import type { ChatFields } from "#dialects/openai-chat/parse-chat.ts";
import { openAiResponses } from "#dialects/openai-responses/openai-responses.ts";
import type { ResponsesFields } from "#dialects/openai-responses/parse-responses.ts";
import { SdkTypes } from "#testing/sdk-types.ts";

const ANTHROPIC = new SdkTypes([
  "@anthropic-ai/sdk/resources/messages/messages",
  "@anthropic-ai/sdk/resources/beta/messages/messages",
]);
const CHAT = new SdkTypes([
  "openai/resources/chat/completions/completions",
  "openai/resources/shared",
]);
const RESPONSES = new SdkTypes(["openai/resources/responses/responses", "openai/resources/shared"]);

/** Interfaces as plain objects: only those extend a type with an index signature. */
type Plain<T> = T extends (infer U)[]
  ? Plain<U>[]
  : T extends object
    ? { [K in keyof T]: Plain<T[K]> }
    : T;

it("takes every request that the SDKs' types allow", () => {
  type Chat = Omit<OpenAI.Chat.ChatCompletionCreateParams, "messages">;
  expectTypeOf<Plain<Chat>>().toExtend<z.input<typeof ChatFields>>();
  type Messages = Omit<Anthropic.MessageCreateParams, "messages">;
  expectTypeOf<Plain<Messages>>().toExtend<z.input<typeof MessagesFields>>();
  type Responses = Omit<OpenAI.Responses.ResponseCreateParams, "input">;
  expectTypeOf<Plain<Responses>>().toExtend<Omit<z.input<typeof ResponsesFields>, "input">>();
});

/** What an element is to a dialect: taken, or the place that a refusal names. */
function outcomeOf(dialect: Dialect, element: unknown): string {
  const messages: Message[] = [];
  try {
    dialect.fold(messages, element, JSON.stringify(element), 0);
    return messages.length > 0 ? "taken" : "vanished";
  } catch (error) {
    if (!(error instanceof ModelError) || error.fault !== "invalid") throw error;
    return `refused at ${error.param}`;
  }
}

/** Required fields alone, all fields, and each optional field alone. */
function variantsOf(types: SdkTypes, name: string): Record<string, unknown>[] {
  const optional = types.fields(name).filter((field) => field.optional);
  return [
    types.sample(name, () => false),
    types.sample(name, (_, depth) => depth === 0),
    ...optional.map(({ name: only }) =>
      types.sample(name, (field, depth) => depth === 0 && field.name === only),
    ),
    ...optional
      .filter(({ type }) => /\bnull\b/.test(type))
      .map((field) => ({ ...types.sample(name, () => false), [field.name]: null })),
  ];
}

const REFUSED_BLOCKS = [
  "BetaRequestToolAdditionBlock",
  "BetaRequestToolRemovalBlock",
  "BetaMCPToolListingBlockParam",
  "BetaFallbackBlockParam",
];
const BLOCKS = [
  ...new Set(
    ["ContentBlockParam", "BetaContentBlockParam"].flatMap((union) => ANTHROPIC.members(union)),
  ),
];

it.each(BLOCKS)(
  "Anthropic's %s is text, or refused by its place, with every optional field or none",
  (name) => {
    for (const block of variantsOf(ANTHROPIC, name)) {
      const outcomes = ["user", "assistant"].map((role) =>
        outcomeOf(anthropicMessages, { role, content: [block] }),
      );
      // An encrypted summary stands for a history that nobody else has.
      const isUnreadable = block.type === "compaction" && typeof block.content !== "string";
      const isRefused = REFUSED_BLOCKS.includes(name) || isUnreadable;
      const place = "refused at messages.0.content.0";
      expect(["taken", place], JSON.stringify(block)).toEqual(expect.arrayContaining(outcomes));
      expect(outcomes.includes("taken"), JSON.stringify(block)).toBe(!isRefused);
    }
  },
);

const CHAT_MESSAGES = CHAT.members("ChatCompletionMessageParam");
it.each(CHAT_MESSAGES)("OpenAI's %s is taken with every optional field or none", (name) => {
  for (const message of variantsOf(CHAT, name))
    expect(outcomeOf(openAiChat, message), JSON.stringify(message)).toBe("taken");
});
it.each(CHAT.members("ChatCompletionContentPart"))("OpenAI's %s has a text", (name) => {
  for (const part of variantsOf(CHAT, name))
    expect(outcomeOf(openAiChat, { role: "user", content: [part] })).toBe("taken");
});

const REFUSED_ITEMS = [
  ...["AdditionalTools", "ResponseConfigurationUpdateItemParam", "ResponseCompactionItemParam"],
  ...["McpListTools", "McpApprovalRequest", "McpApprovalResponse", "CompactionTrigger"],
  ...["ItemReference", "Program", "ProgramOutput"],
];
it.each(RESPONSES.members("ResponseInputItem"))(
  "OpenAI's item %s is text, or refused by its place",
  (name) => {
    const isRefused = REFUSED_ITEMS.includes(name.replace(/^.*\./, ""));
    for (const item of variantsOf(RESPONSES, name))
      expect(outcomeOf(openAiResponses, item), JSON.stringify(item)).toBe(
        isRefused ? "refused at input.0" : "taken",
      );
  },
);

const user = { role: "user", content: "a" };
it.each([
  ["chat", openAiChat, CHAT, "ChatCompletionCreateParamsBase", { messages: [user] }, []],
  [
    "messages",
    anthropicMessages,
    ANTHROPIC,
    "MessageCreateParamsBase",
    { messages: [user], max_tokens: 9 },
    [],
  ],
  [
    "responses",
    openAiResponses,
    RESPONSES,
    "ResponseCreateParamsBase",
    { input: [user] },
    ["background", "conversation", "prompt", "previous_response_id"],
  ],
] as const)(
  "%s: every optional field of the request is taken alone, with null where its type has it, or is refused by name",
  (_, dialect, types, name, least, refused) => {
    const fields = types.fields(name).filter((field) => field.optional && !(field.name in least));
    expect(fields.length).toBeGreaterThan(8);
    for (const field of fields) {
      const value = types.value(field.type, () => false);
      const values = /\bnull\b/.test(field.type) ? [value, null] : [value];
      for (const one of values) {
        const text = JSON.stringify({ model: "m", ...least, [field.name]: one });
        const parse = () => dialect.parse(readBody(Buffer.from(text), dialect, []));
        if (one !== null && (refused as readonly string[]).includes(field.name))
          expect(parse, text).toThrow(
            expect.objectContaining({ fault: "invalid", param: field.name }),
          );
        else expect(parse, text).not.toThrow();
      }
    }
  },
);
