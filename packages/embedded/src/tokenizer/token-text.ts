import { z } from "zod";
import { BYTE_OF_CHARACTER } from "#tokenizer/byte-alphabet.ts";

const TokenizerFile = z.object({
  added_tokens: z.array(
    z.object({ id: z.number().int(), content: z.string(), special: z.boolean() }),
  ),
  model: z.object({ vocab: z.record(z.string(), z.number().int()) }),
});

/** Bytes and text of token ids, from `tokenizer.json` of a byte-level tokenizer. */
export class TokenText {
  readonly #bytes = new Map<number, Uint8Array>();
  readonly #special = new Set<number>();

  constructor(tokenizerText: string) {
    const { added_tokens: added, model } = TokenizerFile.parse(JSON.parse(tokenizerText));
    for (const [symbol, id] of Object.entries(model.vocab)) {
      this.#bytes.set(
        id,
        Uint8Array.from([...symbol], (character) => BYTE_OF_CHARACTER.get(character) ?? 0),
      );
    }
    for (const { id, content, special } of added) {
      this.#bytes.set(id, new TextEncoder().encode(content));
      if (special) this.#special.add(id);
    }
  }

  /** Text that each token completes: "" for one that ends inside a UTF-8 character, whose text the next one brings. */
  pieces(ids: readonly number[], { skipSpecial }: { skipSpecial: boolean }): string[] {
    const decoder = new TextDecoder();
    return ids.map((id, i) => {
      const bytes =
        skipSpecial && this.#special.has(id)
          ? new Uint8Array()
          : (this.#bytes.get(id) ?? new Uint8Array());
      return decoder.decode(bytes, { stream: i + 1 < ids.length });
    });
  }
}
