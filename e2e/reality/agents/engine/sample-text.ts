import type { Random } from "@liverl/contract/random";
import type { ControlText, Vocabulary } from "#reality/agents/engine/vocabulary.ts";

/** Text, or a control token that the model samples as one id. */
export type Piece = string | { control: ControlText };

export const control = (text: ControlText): Piece => ({ control: text });

/**
 * Turns wanted text into ids as no tokenizer would: at each byte it takes any token that fits, mostly not the
 * longest, so words and characters break anywhere. A policy that samples does the same, only more rarely.
 */
export class TextSampler {
  readonly #vocabulary: Vocabulary;
  readonly #byBytes: ReadonlyMap<string, number>;
  readonly #longest: number;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    const ordinary = vocabulary.bytes.slice(0, vocabulary.ordinary.size);
    this.#byBytes = new Map(ordinary.map((bytes, id) => [bytes.toString("latin1"), id]));
    this.#longest = Math.max(...ordinary.map((bytes) => bytes.length));
  }

  /** Ids of the pieces, the close token last. */
  sample(pieces: readonly Piece[], random: Random): number[] {
    const ids = pieces.flatMap((piece) =>
      typeof piece === "string"
        ? this.#split(piece, random)
        : [this.#vocabulary.controlId(piece.control)],
    );
    return [...ids, this.#vocabulary.controlId("<|im_end|>")];
  }

  #split(text: string, random: Random): number[] {
    const bytes = Buffer.from(text, "utf8").toString("latin1");
    const ids: number[] = [];
    for (let at = 0; at < bytes.length; ) {
      const fitting: number[] = [];
      for (let length = 1; length <= this.#longest && at + length <= bytes.length; length++) {
        if (this.#byBytes.has(bytes.slice(at, at + length))) fitting.push(length);
      }
      const longest = fitting.at(-1) ?? 1;
      const length = random.below(3) === 0 ? longest : (fitting[random.below(fitting.length)] ?? 1);
      ids.push(this.#byBytes.get(bytes.slice(at, at + length)) ?? 0);
      at += length;
    }
    return ids;
  }
}
