import { type CommittedTurn, restOf, saidBy } from "#calls/committed-turn.ts";
import type { AnswerHead, AnswerStream, LiveText } from "#dialects/dialect.ts";
import type { ModelError } from "#dialects/model-error.ts";
import {
  callItem,
  messageItem,
  type OutputItem,
  reasoningItem,
  responseObject,
  statusOf,
  textPart,
} from "#dialects/openai-responses/responses-answer.ts";
import type { ToolOrigin } from "#dialects/openai-responses/tool-texts.ts";
import { serverEvent } from "#dialects/server-event.ts";

/**
 * A response as events. Codex counts no comments while it waits, so `response.in_progress` is repeated; it runs a tool
 * at `output_item.done`, so no item that can be acted on is told before the turn is durable.
 */
export class ResponsesStream implements AnswerStream {
  readonly #head: AnswerHead;
  readonly #origins: ReadonlyMap<string, ToolOrigin>;
  readonly #output: OutputItem[] = [];
  #open: { kind: LiveText["kind"]; said: string } | null = null;
  #sequence = 0;

  constructor(head: AnswerHead, origins: ReadonlyMap<string, ToolOrigin>) {
    this.#head = head;
    this.#origins = origins;
  }

  open(): string {
    const response = responseObject(this.#head, "in_progress", [], null);
    return this.#event("response.created", { response }) + this.beat();
  }

  beat(): string {
    const response = responseObject(this.#head, "in_progress", [], null);
    return this.#event("response.in_progress", { response });
  }

  live({ kind, text }: LiveText): string {
    const before = this.#open?.kind === kind ? "" : this.#close("completed") + this.#begin(kind);
    return before + this.#say(text);
  }

  end(turn: CommittedTurn): string {
    const { reasoning, content, toolCalls } = saidBy(turn.node);
    const status = statusOf(turn);
    const parts = [
      this.#rest("reasoning", reasoning, "completed"),
      this.#rest("content", content, status),
    ];
    if (content === "" && toolCalls.length === 0 && this.#saidOf("content") === null)
      parts.push(this.#begin("content"));
    parts.push(this.#close(status), ...toolCalls.map((call) => this.#call(call)));
    const response = responseObject(this.#head, status, this.#output, turn);
    return parts.join("") + this.#event(`response.${status}`, { response });
  }

  fail(error: ModelError): string {
    const response = {
      ...responseObject(this.#head, "failed", this.#output, null),
      error: { code: error.code ?? "server_error", message: error.message },
    };
    return this.#event("response.failed", { response });
  }

  #event(type: string, fields: Record<string, unknown>): string {
    return serverEvent({ type, sequence_number: this.#sequence++, ...fields }, type);
  }

  /** What was said of a kind, open or finished; null where its item has not begun. */
  #saidOf(kind: LiveText["kind"]): string | null {
    if (this.#open?.kind === kind) return this.#open.said;
    const item = this.#output.find(({ type }) => type === ITEM_OF[kind]);
    return item ? textOf(item) : null;
  }

  #rest(kind: LiveText["kind"], whole: string, status: "completed" | "incomplete"): string {
    if (whole === "") return "";
    const said = this.#saidOf(kind);
    if (said !== null && this.#open?.kind !== kind) return "";
    const before = said === null ? this.#close(status) + this.#begin(kind) : "";
    return before + this.#say(restOf(whole, said ?? ""));
  }

  #begin(kind: LiveText["kind"]): string {
    this.#open = { kind, said: "" };
    const index = this.#output.length;
    const item =
      kind === "content"
        ? messageItem(this.#head, index, "", "in_progress")
        : reasoningItem(this.#head, index, "");
    const part =
      kind === "content"
        ? { content_index: 0, part: textPart("") }
        : { summary_index: 0, part: summaryPart("") };
    return (
      this.#event("response.output_item.added", { output_index: index, item }) +
      this.#event(PART_EVENT[kind]("added"), { item_id: item.id, output_index: index, ...part })
    );
  }

  #say(text: string): string {
    if (this.#open === null || text === "") return "";
    this.#open.said += text;
    return this.#event(TEXT_EVENT[this.#open.kind]("delta"), { ...this.#place(), delta: text });
  }

  #close(status: "completed" | "incomplete"): string {
    if (this.#open === null) return "";
    const { kind, said } = this.#open;
    const index = this.#output.length;
    const place = this.#place();
    const item =
      kind === "content"
        ? messageItem(this.#head, index, said, status)
        : reasoningItem(this.#head, index, said);
    const part = kind === "content" ? textPart(said) : summaryPart(said);
    this.#open = null;
    this.#output.push(item);
    return (
      this.#event(TEXT_EVENT[kind]("done"), { ...place, text: said }) +
      this.#event(PART_EVENT[kind]("done"), { ...place, part }) +
      this.#event("response.output_item.done", { output_index: index, item })
    );
  }

  #place() {
    const index = this.#output.length;
    const isText = this.#open?.kind === "content";
    const { id } = isText
      ? messageItem(this.#head, index, "", "in_progress")
      : reasoningItem(this.#head, index, "");
    return {
      item_id: id,
      output_index: index,
      ...(isText ? { content_index: 0, logprobs: [] } : { summary_index: 0 }),
    };
  }

  #call(call: { id: string; name: string; arguments: string }): string {
    const index = this.#output.length;
    const item = callItem(this.#head, index, call, this.#origins);
    const custom = item.type === "custom_tool_call";
    const field = custom ? "input" : "arguments";
    const kind = custom ? "response.custom_tool_call_input" : "response.function_call_arguments";
    const place = { item_id: item.id, output_index: index };
    this.#output.push(item);
    return (
      this.#event("response.output_item.added", {
        output_index: index,
        item: { ...item, status: "in_progress", [field]: "" },
      }) +
      this.#event(`${kind}.delta`, { ...place, delta: item[field] }) +
      this.#event(`${kind}.done`, { ...place, name: item.name, [field]: item[field] }) +
      this.#event("response.output_item.done", { output_index: index, item })
    );
  }
}

const ITEM_OF = { content: "message", reasoning: "reasoning" } as const;
const TEXT_EVENT = {
  content: (end: string) => `response.output_text.${end}`,
  reasoning: (end: string) => `response.reasoning_summary_text.${end}`,
} as const;
const PART_EVENT = {
  content: (end: string) => `response.content_part.${end}`,
  reasoning: (end: string) => `response.reasoning_summary_part.${end}`,
} as const;

const summaryPart = (text: string) => ({ type: "summary_text", text });

function textOf(item: OutputItem): string {
  const parts = (item.type === "message" ? item.content : item.summary) as { text: string }[];
  return parts.map(({ text }) => text).join("");
}
