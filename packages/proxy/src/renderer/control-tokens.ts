import type { AddedToken } from "#renderer/model-folder.ts";

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Finds and breaks the texts of a tokenizer's added tokens, special or not. */
export class ControlTokens {
  readonly byText: ReadonlyMap<string, number>;
  readonly #any: RegExp;
  /** Beginnings and ends of control texts: content that ends in one could complete it with what the template puts next. */
  readonly #heads = new Set<string>();
  readonly #tails = new Set<string>();
  readonly #longest: number;

  constructor(tokens: readonly AddedToken[]) {
    const texts = tokens.map((token) => token.content).sort((a, b) => b.length - a.length);
    this.byText = new Map(tokens.map((token) => [token.content, token.id]));
    this.#any = texts.length === 0 ? /(?!)/g : new RegExp(texts.map(escapeRegExp).join("|"), "g");
    this.#longest = texts[0]?.length ?? 0;
    for (const text of texts) {
      for (let n = 1; n < text.length; n++) {
        this.#heads.add(text.slice(0, n));
        this.#tails.add(text.slice(n));
      }
    }
  }

  /** Pieces of text in order: plain ones as strings, control tokens as ids. */
  split(text: string): (string | number)[] {
    const pieces: (string | number)[] = [];
    let at = 0;
    for (const match of text.matchAll(this.#any)) {
      if (match.index > at) pieces.push(text.slice(at, match.index));
      pieces.push(this.byText.get(match[0]) ?? match[0]);
      at = match.index + match[0].length;
    }
    if (at < text.length) pieces.push(text.slice(at));
    return pieces;
  }

  /** The same text to a reader, with breakers inside every control token's text. */
  breakInside(text: string, breaker: string): string {
    return text.replace(this.#any, (match) => [...match].join(breaker));
  }

  /** As {@link breakInside}, and with breakers at the edges where the text could begin or end a control token with its surroundings. */
  protect(text: string, breaker: string): string {
    const broken = this.breakInside(text, breaker);
    const inner = broken.trim();
    const head = [broken, inner].some((side) => this.#startsInside(side)) ? breaker : "";
    const tail = [broken, inner].some((side) => this.#endsInside(side)) ? breaker : "";
    if (head === "" && tail === "") return broken;
    const start = broken.length - broken.trimStart().length;
    return broken.slice(0, start) + head + inner + tail + broken.slice(start + inner.length);
  }

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
}
