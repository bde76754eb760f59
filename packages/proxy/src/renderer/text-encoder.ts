import { Tokenizer } from "tokenizers";
import type { ControlTokens } from "#renderer/control-tokens.ts";
import { idsCache } from "#renderer/ids-cache.ts";

const CACHED_PIECES = 8192;
const LONGEST_CACHED = 32_768;

/**
 * Encodes rendered text. Control tokens come from where the template wrote them; between them runs the
 * tokenizer without added tokens. For text without forged control tokens that is what `encode` of the
 * whole gives, because an added token is a hard split.
 */
export class TextEncoder {
  readonly #bare: Tokenizer;
  readonly #control: ControlTokens;
  readonly #cache = idsCache(CACHED_PIECES);

  constructor(bareTokenizerText: string, control: ControlTokens) {
    this.#bare = Tokenizer.fromString(bareTokenizerText);
    this.#control = control;
  }

  async encode(rendered: string, breaker: string): Promise<number[]> {
    const pieces = this.#control.split(rendered);
    const encoded = await Promise.all(
      pieces.map((piece) =>
        typeof piece === "number" ? [piece] : this.encodePlain(piece.replaceAll(breaker, "")),
      ),
    );
    return encoded.flat();
  }

  /** Ids of text in which nothing is a control token. */
  async encodePlain(text: string): Promise<readonly number[]> {
    if (text === "") return [];
    const held = this.#cache.get(text);
    if (held) return held;
    const ids = (await this.#bare.encode(text, null, { addSpecialTokens: false })).getIds();
    if (text.length <= LONGEST_CACHED) this.#cache.set(text, ids);
    return ids;
  }
}
