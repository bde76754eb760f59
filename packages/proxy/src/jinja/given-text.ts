/**
 * Text of which some parts were given by a client. A control token counts as one only where the template itself
 * wrote all of it, so whatever a template does to given text (cut it, join it, lay it out), the parts stay marked.
 */
export class GivenText {
  readonly text: string;
  /** Ascending `[start, end)` pairs in UTF-16 units, never empty, never touching. */
  readonly spans: readonly number[];

  constructor(text: string, spans: readonly number[]) {
    this.text = text;
    this.spans = spans;
  }
}

/** A plain string is the template's own text. */
export type Text = string | GivenText;

export const isText = (value: unknown): value is Text =>
  typeof value === "string" || value instanceof GivenText;

export const plain = (text: Text): string => (typeof text === "string" ? text : text.text);

/** Text that is given as a whole. */
export const givenText = (text: string): Text =>
  text === "" ? "" : new GivenText(text, [0, text.length]);

/** The result of a transformation that moves characters: given as a whole if any part of its source was. */
export const like = (source: Text, text: string): Text =>
  typeof source === "string" ? text : givenText(text);

/** `start` and `end` in UTF-16 units, both within the text. */
export function sliceText(source: Text, start: number, end: number): Text {
  if (typeof source === "string") return source.slice(start, end);
  if (end <= start) return "";
  const text = source.text.slice(start, end);
  const spans: number[] = [];
  for (let i = 0; i < source.spans.length; i += 2) {
    const from = Math.max(source.spans[i] ?? 0, start);
    const to = Math.min(source.spans[i + 1] ?? 0, end);
    if (from < to) spans.push(from - start, to - start);
  }
  return spans.length === 0 ? text : new GivenText(text, spans);
}

/** Joins texts and keeps what was given. */
export class TextBuilder {
  #text = "";
  readonly #spans: number[] = [];

  add(piece: Text): this {
    if (typeof piece === "string") {
      this.#text += piece;
      return this;
    }
    const at = this.#text.length;
    for (let i = 0; i < piece.spans.length; i += 2) {
      const start = at + (piece.spans[i] ?? 0);
      if (this.#spans.at(-1) === start) this.#spans.pop();
      else this.#spans.push(start);
      this.#spans.push(at + (piece.spans[i + 1] ?? 0));
    }
    this.#text += piece.text;
    return this;
  }

  build(): Text {
    return this.#spans.length === 0 ? this.#text : new GivenText(this.#text, this.#spans);
  }
}

export function joinTexts(pieces: readonly Text[], separator: Text = ""): Text {
  const builder = new TextBuilder();
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) builder.add(separator);
    builder.add(piece);
  }
  return builder.build();
}
