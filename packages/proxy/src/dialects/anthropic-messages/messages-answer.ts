import { type CommittedTurn, restOf, saidBy } from "#calls/committed-turn.ts";
import { anthropicErrorBody } from "#dialects/anthropic-messages/anthropic-error.ts";
import type { AnswerHead, AnswerStream, LiveText } from "#dialects/dialect.ts";
import type { ModelError } from "#dialects/model-error.ts";
import { serverEvent } from "#dialects/server-event.ts";

const STOP_REASONS = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  abort: "end_turn",
} as const;

const idOf = ({ sessionId, callId }: AnswerHead) => `msg_${sessionId}-${callId}`;

/** Names the turn, so that a client that returns it is known by it. */
const signatureOf = (head: AnswerHead) =>
  Buffer.from(`${head.sessionId}#${head.callId}`, "utf8").toString("base64");

function usageOf(promptTokens: number, sampledTokens: number) {
  return {
    input_tokens: promptTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: sampledTokens,
  };
}

const endOf = ({ call }: CommittedTurn) => ({
  stop_reason: call.stopText === null ? STOP_REASONS[call.stopReason ?? "stop"] : "stop_sequence",
  stop_sequence: call.stopText,
});

/** Arguments that are no JSON object have no place in this form: they stand in one under a name that says so. */
function inputOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Not JSON: given as text.
  }
  return { unparsed_arguments: text };
}

/** Anthropic's `message`. */
export function messagesAnswer(head: AnswerHead, turn: CommittedTurn) {
  const { reasoning, content, toolCalls } = saidBy(turn.node);
  const { promptTokens, sampledTokens } = turn.call.usage;
  return {
    id: idOf(head),
    type: "message",
    role: "assistant",
    model: head.model,
    content: [
      ...(reasoning === ""
        ? []
        : [{ type: "thinking", thinking: reasoning, signature: signatureOf(head) }]),
      ...(content === "" ? [] : [{ type: "text", text: content }]),
      ...toolCalls.map(({ id, name, arguments: text }) => ({
        type: "tool_use",
        id,
        name,
        input: inputOf(text),
      })),
    ],
    ...endOf(turn),
    usage: usageOf(promptTokens, sampledTokens),
  };
}

/** The same as Anthropic's events; `ping` is what its clients wait by. */
export class MessagesStream implements AnswerStream {
  readonly #head: AnswerHead;
  readonly #said = { reasoning: "", content: "" };
  #index = 0;
  #open: LiveText["kind"] | null = null;
  #started = false;

  constructor(head: AnswerHead) {
    this.#head = head;
  }

  open(): string {
    return this.beat();
  }

  beat(): string {
    return serverEvent({ type: "ping" }, "ping");
  }

  live({ kind, text }: LiveText): string {
    return this.#start() + this.#say(kind, text);
  }

  end(turn: CommittedTurn): string {
    const { reasoning, content, toolCalls } = saidBy(turn.node);
    const { promptTokens, sampledTokens } = turn.call.usage;
    return [
      this.#start(),
      this.#say("reasoning", restOf(reasoning, this.#said.reasoning)),
      this.#say("content", restOf(content, this.#said.content)),
      this.#close(),
      ...toolCalls.map((call) => this.#toolUse(call)),
      serverEvent(
        { type: "message_delta", delta: endOf(turn), usage: usageOf(promptTokens, sampledTokens) },
        "message_delta",
      ),
      serverEvent({ type: "message_stop" }, "message_stop"),
    ].join("");
  }

  fail(error: ModelError): string {
    return serverEvent(anthropicErrorBody(error), "error");
  }

  #start(): string {
    if (this.#started) return "";
    this.#started = true;
    const message = {
      id: idOf(this.#head),
      type: "message",
      role: "assistant",
      model: this.#head.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageOf(this.#head.promptTokens, 0),
    };
    return serverEvent({ type: "message_start", message }, "message_start");
  }

  #say(kind: LiveText["kind"], text: string): string {
    if (text === "") return "";
    this.#said[kind] += text;
    const before = this.#open === kind ? "" : this.#close() + this.#begin(kind);
    return (
      before +
      this.#delta(
        kind === "content"
          ? { type: "text_delta", text }
          : { type: "thinking_delta", thinking: text },
      )
    );
  }

  #begin(kind: LiveText["kind"]): string {
    this.#open = kind;
    const block =
      kind === "content"
        ? { type: "text", text: "" }
        : { type: "thinking", thinking: "", signature: "" };
    return this.#blockStart(block);
  }

  #toolUse({ id, name, arguments: text }: { id: string; name: string; arguments: string }): string {
    return [
      this.#blockStart({ type: "tool_use", id, name, input: {} }),
      this.#delta({ type: "input_json_delta", partial_json: text }),
      this.#blockStop(),
    ].join("");
  }

  #close(): string {
    if (this.#open === null) return "";
    const signed =
      this.#open === "reasoning"
        ? this.#delta({ type: "signature_delta", signature: signatureOf(this.#head) })
        : "";
    this.#open = null;
    return signed + this.#blockStop();
  }

  #blockStart(block: Record<string, unknown>): string {
    const event = { type: "content_block_start", index: this.#index, content_block: block };
    return serverEvent(event, "content_block_start");
  }

  #delta(delta: Record<string, unknown>): string {
    const event = { type: "content_block_delta", index: this.#index, delta };
    return serverEvent(event, "content_block_delta");
  }

  #blockStop(): string {
    const event = { type: "content_block_stop", index: this.#index };
    this.#index += 1;
    return serverEvent(event, "content_block_stop");
  }
}
