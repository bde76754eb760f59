import type { ParsedTurn, TurnDelta, TurnParser, TurnStart } from "#families/family.ts";
import { callOf, readJsonCall, tryParse } from "#families/json-call.ts";
import { JsonStrings } from "#families/json-strings.ts";
import { TurnPieces } from "#families/turn-pieces.ts";
import { type ReadCall, TurnRecord } from "#families/turn-record.ts";

export const PYTHON_TAG = "<|python_tag|>";
const SEPARATOR = /[\s;,]*/y;

/**
 * Reads Llama 3's calls: `{"name": …, "parameters": {…}}`, several with `;` between them, as the whole answer or
 * behind `<|python_tag|>` (its token alone). A turn that begins with a brace is told at its end only, since until
 * then it may be a call (vLLM's `llama_tool_parser.py` and sglang's `llama32_detector.py` decide by the same signs).
 */
export class LlamaParser implements TurnParser {
  readonly #hasTools: boolean;
  readonly #pieces: TurnPieces;
  readonly #record = new TurnRecord();
  /** White space before the first other character. */
  #start: string | null = "";
  /** Text that may be calls; null in content. */
  #calls: string | null = null;
  #tag = "";

  constructor({ tools, vocabulary, visibleLength }: TurnStart) {
    this.#hasTools = tools !== null;
    this.#pieces = new TurnPieces(vocabulary, [PYTHON_TAG], visibleLength);
  }

  push(ids: readonly number[]): TurnDelta[] {
    for (const piece of this.#pieces.push(ids))
      if ("mark" in piece) this.#takeTag();
      else this.#takeText(piece.text);
    return this.#record.takeDeltas();
  }

  end(): ParsedTurn {
    for (const piece of this.#pieces.end()) if ("text" in piece) this.#takeText(piece.text);
    if (this.#start !== null) this.#record.addContent(this.#start);
    const isUnclosed = this.#calls !== null && this.#endCalls(this.#calls);
    return this.#record.finish(isUnclosed);
  }

  #takeTag(): void {
    if (!this.#hasTools || this.#calls !== null) {
      this.#takeText(PYTHON_TAG);
      return;
    }
    this.#start = null;
    this.#calls = "";
    this.#tag = PYTHON_TAG;
  }

  #takeText(text: string): void {
    if (this.#calls !== null) this.#calls += text;
    else if (this.#start === null) this.#record.addContent(text);
    else this.#takeStart(this.#start, text);
  }

  #takeStart(before: string, text: string): void {
    const first = text.trimStart()[0];
    this.#start = first === undefined ? before + text : null;
    if (first === "{" && this.#hasTools) this.#calls = before + text;
    else if (first !== undefined) this.#record.addContent(before + text);
  }

  /** Returns whether the turn ended inside a call. */
  #endCalls(text: string): boolean {
    const { calls, rest } = readCalls(text);
    for (const call of calls) this.#record.addCall(call);
    if (rest.trim() === "") return false;
    const nesting = new JsonStrings();
    nesting.push(rest);
    const isCut = nesting.isInside || nesting.depth > 0;
    const broken = isCut ? null : readJsonCall(rest);
    const isCall = calls.length > 0 || this.#tag !== "" || startsCall(rest);
    if (broken && isCall) this.#record.addCall(broken);
    else if (isCall) this.#record.addMalformed(calls.length > 0 ? rest : this.#tag + text);
    else this.#record.addContent(text);
    return isCut && isCall;
  }
}

/** Calls from the start of the text on, and what follows them. */
function readCalls(text: string): { calls: ReadCall[]; rest: string } {
  const calls: ReadCall[] = [];
  for (let at = 0; ; ) {
    SEPARATOR.lastIndex = at;
    SEPARATOR.exec(text);
    const next = SEPARATOR.lastIndex;
    const value = tryParse(text, next);
    const hasArguments =
      value?.kind === "object" &&
      value.entries.some(([key]) => key === "parameters" || key === "arguments");
    const call = value && hasArguments ? callOf(value, text) : null;
    if (!value || !call) return { calls, rest: text.slice(at) };
    calls.push(call);
    at = value.end;
  }
}

/** Whether an object begins as a call does, and not as any other JSON answer. */
function startsCall(text: string): boolean {
  return /^\s*\{\s*(?:"type"\s*:\s*"function"\s*,\s*)?"name"\s*:\s*"[^"]*"\s*,\s*"(?:parameters|arguments)"/.test(
    text,
  );
}
