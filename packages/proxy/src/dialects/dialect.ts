import type { Call, Message } from "@liverl/contract/trajectory";
import type { CommittedTurn } from "#calls/committed-turn.ts";
import type { ReadBody } from "#dialects/body/read-body.ts";
import type { ModelError } from "#dialects/model-error.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";

/** A variable of the chat template that a client wants to have a value. */
export interface TemplateWish {
  /** The request's field. */
  field: string;
  /** Names that templates have for it; the first one that the template reads is set. */
  names: readonly string[];
  value: string | number | boolean;
}

/** What a call asks of the model, in no dialect's words. */
export interface ModelRequest {
  /** As chat templates see them: `role`, `content`, `reasoning_content`, `tool_calls`, `tool_call_id`. */
  messages: readonly Message[];
  /** The canonical text of each message. */
  keys: readonly string[];
  hasTools: boolean;
  /** Reads the definitions from the request's text. Null where there are none, or where the client asked for none to be called. */
  readTools(): ToolDefinitions | null;
  /** Equal for definitions that mean the same; empty without tools. */
  toolsKey: string;
  stream: boolean;
  maxTokens: number | null;
  temperature: number | null;
  topP: number | null;
  seed: number | null;
  stop: readonly string[];
  /** Whether the client wants a JSON document of its own schema: with no tools, a mark of side requests. */
  wantsDocument: boolean;
  /** The call whose conversation the messages go on with, for clients that leave it to the server; else null. */
  continues: number | null;
  /** Sampling fields as the client sent them. */
  requested: Record<string, unknown>;
  templateWishes: readonly TemplateWish[];
  /** Fields that the client set and that change nothing here, such as `response_format` or `tools.2`. */
  ignored: readonly string[];
}

/** What every answer of one call shares. */
export interface AnswerHead {
  sessionId: string;
  callId: number;
  model: string;
  /** Seconds since 1970. */
  created: number;
  promptTokens: number;
}

/** Text that is certain by now, for clients that may see it before the turn is durable. */
export interface LiveText {
  kind: "reasoning" | "content";
  text: string;
}

/** One streamed answer as text of server-sent events. */
export interface AnswerStream {
  /** The first events, once the prompt is accepted. */
  open(): string;
  /** What keeps this dialect's clients from giving up while nothing is to be said. */
  beat(): string;
  live(text: LiveText): string;
  /** All that has not been said yet, to the last event. */
  end(turn: CommittedTurn): string;
  /** For streams that are open. */
  fail(error: ModelError): string;
}

/** A request and how it is to be answered. */
export interface ParsedCall {
  request: ModelRequest;
  startStream(head: AnswerHead): AnswerStream;
  /** The whole answer as one JSON value. */
  answer(head: AnswerHead, turn: CommittedTurn): unknown;
}

/** A protocol that clients speak. */
export interface Dialect {
  id: Call["dialect"];
  /** Name of the array that grows with the conversation. */
  listName: string;
  /** Adds what the list's element at `index` says. Only the last message may be replaced. Throws ModelError. */
  fold(messages: Message[], element: unknown, raw: string, index: number): void;
  /** Throws ModelError. */
  parse(body: ReadBody): ParsedCall;
  /** Status and JSON of an error before any answer began. */
  describeError(error: ModelError): { status: number; body: unknown };
}
