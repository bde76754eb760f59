import { givenText, plain, type Text } from "#jinja/given-text.ts";
import type { AddedToken } from "#renderer/model-folder.ts";

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A control token where a template wrote it: `[start, end)` in the rendered text. */
export interface ControlPlace {
  id: number;
  text: string;
  start: number;
  end: number;
}

/** Finds a tokenizer's added tokens, special or not, where the template wrote all of their characters. */
export class ControlTokens {
  readonly byText: ReadonlyMap<string, number>;
  readonly #any: RegExp;
  /** Beginnings and ends of special tokens. */
  readonly #heads = new Set<string>();
  readonly #tails = new Set<string>();
  #longest = 0;

  constructor(tokens: readonly AddedToken[]) {
    const texts = tokens.map((token) => token.content).sort((a, b) => b.length - a.length);
    this.byText = new Map(tokens.map((token) => [token.content, token.id]));
    for (const { content, special } of tokens) {
      if (!special) continue;
      this.#longest = Math.max(this.#longest, content.length);
      for (let n = 1; n < content.length; n++) {
        this.#heads.add(content.slice(0, n));
        this.#tails.add(content.slice(n));
      }
    }
    this.#any = texts.length === 0 ? /(?!)/g : new RegExp(texts.map(escapeRegExp).join("|"), "g");
  }

  /**
   * A string that a template lays out, such as a name: its own text, unless it holds a control token or could complete a
   * special one with what stands beside it.
   */
  readonly mark = (text: string): Text => {
    this.#any.lastIndex = 0;
    const isHostile = this.#any.test(text) || this.#startsInside(text) || this.#endsInside(text);
    return isHostile ? givenText(text) : text;
  };

  #startsInside(text: string): boolean {
    for (let n = Math.min(text.length, this.#longest - 1); n > 0; n--)
      if (this.#tails.has(text.slice(0, n))) return true;
    return false;
  }

  #endsInside(text: string): boolean {
    for (let n = Math.min(text.length, this.#longest - 1); n > 0; n--)
      if (this.#heads.has(text.slice(-n))) return true;
    return false;
  }

  /** From `from` on, in order. */
  places(rendered: Text, from = 0): ControlPlace[] {
    const text = plain(rendered);
    const spans = typeof rendered === "string" ? [] : rendered.spans;
    const places: ControlPlace[] = [];
    let span = 0;
    this.#any.lastIndex = from;
    for (let match = this.#any.exec(text); match; match = this.#any.exec(text)) {
      const [start, end] = [match.index, this.#any.lastIndex];
      while ((spans[span + 1] ?? Number.POSITIVE_INFINITY) <= start) span += 2;
      if ((spans[span] ?? Number.POSITIVE_INFINITY) < end) {
        // A client wrote some of it: it is text, and another token may still begin inside.
        this.#any.lastIndex = start + 1;
        continue;
      }
      places.push({ id: this.byText.get(match[0]) ?? -1, text: match[0], start, end });
    }
    return places;
  }

  /** Pieces of rendered text in order: plain ones as strings, control tokens as ids. */
  split(rendered: Text): (string | number)[] {
    const text = plain(rendered);
    const pieces: (string | number)[] = [];
    let at = 0;
    for (const { id, start, end } of this.places(rendered)) {
      if (start > at) pieces.push(text.slice(at, start));
      pieces.push(id);
      at = end;
    }
    if (at < text.length) pieces.push(text.slice(at));
    return pieces;
  }
}
