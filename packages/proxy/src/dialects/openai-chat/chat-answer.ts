import { type CommittedTurn, restOf, type SaidTurn, saidBy } from "#calls/committed-turn.ts";
import { customInput } from "#dialects/custom-input.ts";
import type { AnswerHead, AnswerStream, LiveText } from "#dialects/dialect.ts";
import type { ModelError } from "#dialects/model-error.ts";
import type { ChatWishes } from "#dialects/openai-chat/parse-chat.ts";
import { openAiErrorBody } from "#dialects/openai-error.ts";
import { serverEvent } from "#dialects/server-event.ts";

const BEAT = ": waiting for the model\n\n";

function usageOf({ call: { usage } }: CommittedTurn) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.sampledTokens,
    total_tokens: usage.promptTokens + usage.sampledTokens,
  };
}

function finishOf({ call }: CommittedTurn, { functionCall }: ChatWishes): string {
  if (call.stopReason === "tool_calls") return functionCall ? "function_call" : "tool_calls";
  return call.stopReason === "length" ? "length" : "stop";
}

/** A call in the form in which the client defined the tool. */
function callOf({ id, name, arguments: text }: SaidTurn["toolCalls"][number], wishes: ChatWishes) {
  return wishes.customTools.has(name)
    ? { id, type: "custom", custom: { name, input: customInput(text) } }
    : { id, type: "function", function: { name, arguments: text } };
}

/** Clients that offer `functions` read one call: the first. */
function functionCallOf([first]: SaidTurn["toolCalls"], { functionCall }: ChatWishes) {
  return functionCall && first
    ? { function_call: { name: first.name, arguments: first.arguments } }
    : {};
}

const idOf = ({ sessionId, callId }: AnswerHead) => `chatcmpl-${sessionId}-${callId}`;

/** One entry a sampled token, hidden ones too: lists of log-probs and of ids have one length. */
function logprobsOf({ node, tokenBytes }: CommittedTurn) {
  return {
    content: node.tokenIds.map((id, i) => {
      const bytes = tokenBytes(id);
      return {
        token: Buffer.from(bytes).toString("utf8"),
        logprob: node.logprobs[i] ?? null,
        bytes: [...bytes],
        top_logprobs: [],
      };
    }),
    refusal: null,
  };
}

/** OpenAI's `chat.completion`; with vLLM's `prompt_token_ids` and `token_ids` where they are asked for. */
export function chatAnswer(head: AnswerHead, wishes: ChatWishes, turn: CommittedTurn) {
  const { reasoning, content, toolCalls } = saidBy(turn.node);
  return {
    id: idOf(head),
    object: "chat.completion",
    created: head.created,
    model: head.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: content === "" && (toolCalls.length > 0 || reasoning !== "") ? null : content,
          ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
          ...(toolCalls.length === 0
            ? {}
            : { tool_calls: toolCalls.map((call) => callOf(call, wishes)) }),
          ...functionCallOf(toolCalls, wishes),
          refusal: null,
        },
        logprobs: wishes.logprobs ? logprobsOf(turn) : null,
        finish_reason: finishOf(turn, wishes),
        ...(wishes.tokenIds ? { token_ids: turn.node.tokenIds } : {}),
      },
    ],
    usage: usageOf(turn),
    ...(wishes.tokenIds ? { prompt_token_ids: turn.promptIds() } : {}),
  };
}

/** The same as `chat.completion.chunk`s. Comments keep the client waiting: they are no events to it. */
export class ChatStream implements AnswerStream {
  readonly #head: AnswerHead;
  readonly #wishes: ChatWishes;
  readonly #said = { reasoning: "", content: "" };
  #hasRole = false;

  constructor(head: AnswerHead, wishes: ChatWishes) {
    this.#head = head;
    this.#wishes = wishes;
  }

  open(): string {
    return BEAT;
  }

  beat(): string {
    return BEAT;
  }

  live({ kind, text }: LiveText): string {
    this.#said[kind] += text;
    return this.#role({}) + this.#text(kind, text);
  }

  end(turn: CommittedTurn): string {
    const { reasoning, content, toolCalls } = saidBy(turn.node);
    const { tokenIds, logprobs, usage } = this.#wishes;
    const calls = toolCalls.flatMap((call, index) => this.#call(call, index));
    const functionCall = functionCallOf(toolCalls, this.#wishes);
    if (functionCall.function_call) calls.push(this.#chunk(functionCall));
    return [
      this.#role(tokenIds ? { prompt_token_ids: turn.promptIds() } : {}),
      this.#text("reasoning", restOf(reasoning, this.#said.reasoning)),
      this.#text("content", restOf(content, this.#said.content)),
      ...calls,
      this.#chunk(
        {},
        {
          finish_reason: finishOf(turn, this.#wishes),
          ...(logprobs ? { logprobs: logprobsOf(turn) } : {}),
          ...(tokenIds ? { token_ids: turn.node.tokenIds } : {}),
        },
      ),
      usage ? serverEvent({ ...this.#shared(), choices: [], usage: usageOf(turn) }) : "",
      "data: [DONE]\n\n",
    ].join("");
  }

  fail(error: ModelError): string {
    return serverEvent(openAiErrorBody(error));
  }

  #call(call: SaidTurn["toolCalls"][number], index: number): string[] {
    const { id, name, arguments: text } = call;
    if (this.#wishes.customTools.has(name))
      return [this.#chunk({ tool_calls: [{ index, ...callOf(call, this.#wishes) }] })];
    const opening = { index, id, type: "function", function: { name, arguments: "" } };
    return [
      this.#chunk({ tool_calls: [opening] }),
      this.#chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
    ];
  }

  #role(extra: Record<string, unknown>): string {
    if (this.#hasRole) return "";
    this.#hasRole = true;
    return this.#chunk({ role: "assistant", content: "" }, {}, extra);
  }

  #text(kind: LiveText["kind"], text: string): string {
    if (text === "") return "";
    return this.#chunk(kind === "content" ? { content: text } : { reasoning_content: text });
  }

  #shared() {
    const { created, model } = this.#head;
    return { id: idOf(this.#head), object: "chat.completion.chunk", created, model };
  }

  #chunk(
    delta: Record<string, unknown>,
    choice: Record<string, unknown> = {},
    extra: Record<string, unknown> = {},
  ): string {
    return serverEvent({
      ...this.#shared(),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...choice }],
      ...(this.#wishes.usage ? { usage: null } : {}),
      ...extra,
    });
  }
}
