import type { ParsedTurn, TurnDelta, TurnParser, TurnStart } from "#families/family.ts";
import { readArguments } from "#families/json-call.ts";
import { type Piece, TurnPieces } from "#families/turn-pieces.ts";
import { TurnRecord } from "#families/turn-record.ts";

const START = "<|start|>";
const MESSAGE = "<|message|>";
const CALL = "<|call|>";
const ENDS: readonly string[] = ["<|end|>", "<|return|>", CALL];
export const HARMONY_MARKS: readonly string[] = [
  START,
  MESSAGE,
  "<|channel|>",
  "<|constrain|>",
  ...ENDS,
];

/** What a message is, by its header: `assistant<|channel|>commentary to=functions.f <|constrain|>json`. */
type MessageKind = { kind: "reasoning" | "content" | "unknown" } | { kind: "call"; name: string };

/**
 * Reads harmony, gpt-oss' grammar: a turn is messages, each with a channel and perhaps a recipient. `analysis` is
 * thought, `final` and `commentary` to nobody are content, what goes to `functions.NAME` is a call. Marks are tokens
 * alone (openai-harmony's `StreamableParser`; channels as in vLLM's `parser/harmony.py`).
 */
export class HarmonyParser implements TurnParser {
  readonly #hasTools: boolean;
  readonly #pieces: TurnPieces;
  readonly #record = new TurnRecord();
  #header = "";
  /** What the model wrote of the open message, marks included; null while there is nothing of one. */
  #raw = "";
  #message: MessageKind | null = null;
  #body = "";

  constructor({ tools, promptIds, vocabulary, visibleLength }: TurnStart) {
    this.#hasTools = tools !== null;
    this.#pieces = new TurnPieces(vocabulary, HARMONY_MARKS, visibleLength);
    const start = promptIds.lastIndexOf(vocabulary.addedIds.get(START) ?? -1);
    const prompt = new TurnPieces(vocabulary, HARMONY_MARKS);
    if (start >= 0) for (const piece of prompt.push(promptIds.slice(start + 1))) this.#take(piece);
    this.#raw = "";
  }

  push(ids: readonly number[]): TurnDelta[] {
    for (const piece of this.#pieces.push(ids)) this.#take(piece);
    return this.#record.takeDeltas();
  }

  end(): ParsedTurn {
    for (const piece of this.#pieces.end()) this.#take(piece);
    const kind = this.#message?.kind ?? "header";
    // Content that is cut is content all the same; a header of which nothing was sampled is none.
    const isUnclosed = kind === "header" ? this.#raw.trim() !== "" : kind !== "content";
    if (isUnclosed && kind !== "reasoning") this.#record.addContent(this.#raw);
    return this.#record.finish(isUnclosed);
  }

  #take(piece: Piece): void {
    const text = "mark" in piece ? piece.mark : piece.text;
    if ("mark" in piece && ENDS.includes(piece.mark)) this.#endMessage(piece.mark);
    else if ("mark" in piece && piece.mark === START) this.#startMessage();
    else if ("mark" in piece && piece.mark === MESSAGE && this.#message === null) this.#openBody();
    else if (this.#message === null) this.#header += text;
    else this.#takeBody(this.#message, text);
    if (!("mark" in piece && ENDS.includes(piece.mark))) this.#raw += text;
  }

  #startMessage(): void {
    if (this.#message) {
      this.#record.markMalformed();
      this.#endMessage("");
    }
    this.#header = "";
    this.#raw = "";
  }

  #openBody(): void {
    this.#message = kindOf(this.#header, this.#hasTools);
    this.#body = "";
    if (this.#message.kind === "reasoning") this.#record.beginReasoning();
    if (this.#message.kind === "content") this.#record.separateContent();
  }

  #takeBody(message: MessageKind, text: string): void {
    if (message.kind === "reasoning") this.#record.addReasoning(text);
    else if (message.kind === "content") this.#record.addContent(text);
    else this.#body += text;
  }

  #endMessage(mark: string): void {
    if (this.#message?.kind === "call") {
      const read = readArguments(this.#message.name, this.#body);
      this.#record.addCall({ ...read, isSound: read.isSound && mark === CALL });
    } else if (this.#message?.kind === "unknown") {
      this.#record.addMalformed(this.#raw + mark);
    }
    this.#message = null;
    this.#header = "";
    this.#raw = "";
  }
}

function kindOf(header: string, hasTools: boolean): MessageKind {
  const channel = /<\|channel\|>\s*(\w+)/.exec(header)?.[1];
  const recipient = /\bto=([^\s<]+)/.exec(header)?.[1];
  if (recipient !== undefined) {
    const name = recipient.replace(/^functions\./, "");
    return hasTools && name !== "" && !isBuiltIn(recipient)
      ? { kind: "call", name }
      : { kind: "unknown" };
  }
  if (channel === "analysis") return { kind: "reasoning" };
  return { kind: "content" };
}

/** Tools of the model's own that no agent offers. */
function isBuiltIn(recipient: string): boolean {
  return recipient === "python" || recipient.startsWith("browser.") || recipient === "assistant";
}
