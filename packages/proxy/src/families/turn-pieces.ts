import type { TurnVocabulary } from "#families/family.ts";

/** A part of a turn: text, or a mark of the grammar that was sampled as its own added token. */
export type Piece = { text: string } | { mark: string };

/**
 * Splits ids into text and marks. A character comes when all of its bytes are there (an added token that is a mark
 * ends an unfinished one); hidden ids come as nothing.
 */
export class TurnPieces {
  readonly #vocabulary: TurnVocabulary;
  readonly #markOf: ReadonlyMap<number, string>;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #left: number;

  /** `visibleLength`: the turn is over after so many characters (UTF-16 units), marks included. */
  constructor(
    vocabulary: TurnVocabulary,
    marks: readonly string[],
    visibleLength = Number.POSITIVE_INFINITY,
  ) {
    this.#vocabulary = vocabulary;
    this.#markOf = new Map(
      marks.flatMap((mark) => {
        const id = vocabulary.addedIds.get(mark);
        return id === undefined ? [] : [[id, mark] as const];
      }),
    );
    this.#left = visibleLength;
  }

  push(ids: readonly number[]): Piece[] {
    const pieces: Piece[] = [];
    let bytes: Uint8Array[] = [];
    for (const id of ids) {
      const mark = this.#markOf.get(id);
      if (mark === undefined) {
        if (!this.#vocabulary.hiddenIds.has(id)) bytes.push(this.#vocabulary.bytesOf(id));
        continue;
      }
      this.#takeText(pieces, bytes, true);
      bytes = [];
      this.#takeMark(pieces, mark);
    }
    this.#takeText(pieces, bytes, false);
    return pieces;
  }

  /** What is left of a character that never became whole. */
  end(): Piece[] {
    const pieces: Piece[] = [];
    this.#takeText(pieces, [], true);
    return pieces;
  }

  #takeText(pieces: Piece[], bytes: readonly Uint8Array[], isOver: boolean): void {
    if (bytes.length === 0 && !isOver) return;
    const [only] = bytes;
    const joined = only && bytes.length === 1 ? only : Buffer.concat(bytes);
    const text = this.#decoder.decode(joined, { stream: !isOver });
    if (text === "" || this.#left <= 0) return;
    pieces.push({ text: text.length > this.#left ? text.slice(0, this.#left) : text });
    this.#left -= text.length;
  }

  #takeMark(pieces: Piece[], mark: string): void {
    // A mark that the end falls into is neither whole nor text.
    if (mark.length <= this.#left) pieces.push({ mark });
    this.#left -= mark.length;
  }
}
