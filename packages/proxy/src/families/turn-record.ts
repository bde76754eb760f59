import type { ParsedTurn, ToolCallText, TurnDelta } from "#families/family.ts";
import { GrowingText } from "#families/growing-text.ts";

/** A call as its grammar reads it. `isSound`: without any breach of the grammar. */
export interface ReadCall {
  call: ToolCallText;
  isSound: boolean;
}

/** What a turn has said so far; a parser says which part is what. */
export class TurnRecord {
  readonly #content = new GrowingText();
  readonly #reasoning = new GrowingText();
  readonly #calls: ToolCallText[] = [];
  #deltas: TurnDelta[] = [];
  #isMalformed = false;

  addContent(text: string): void {
    this.#tell("content", this.#content.add(text));
  }

  addReasoning(text: string): void {
    this.#tell("reasoning", this.#reasoning.add(text));
  }

  addCall({ call, isSound }: ReadCall): void {
    this.#calls.push(call);
    if (!isSound) this.#isMalformed = true;
  }

  /** Text of a block that is no call. */
  addMalformed(raw: string): void {
    this.addContent(raw);
    this.#isMalformed = true;
  }

  markMalformed(): void {
    this.#isMalformed = true;
  }

  beginReasoning(): void {
    this.#content.dropStart();
    this.#reasoning.separate();
    this.#reasoning.dropLeading("white space");
  }

  endReasoning(): void {
    this.#content.dropLeading("line breaks");
  }

  /** Content that follows is a message of its own. */
  separateContent(): void {
    this.#content.separate();
  }

  /** The deltas since the last time. */
  takeDeltas(): TurnDelta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  finish(isUnclosed: boolean): ParsedTurn {
    return {
      reasoning: this.#reasoning.trimmed === "" ? null : this.#reasoning.trimmed,
      content: this.#calls.length > 0 ? this.#content.trimmed : this.#content.whole,
      toolCalls: this.#calls,
      status: isUnclosed ? "unclosed" : this.#isMalformed ? "malformed" : "ok",
    };
  }

  #tell(kind: TurnDelta["kind"], text: string): void {
    if (text === "") return;
    const last = this.#deltas.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.#deltas.push({ kind, text });
  }
}
