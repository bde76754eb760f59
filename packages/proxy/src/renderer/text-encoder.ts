import { setImmediate as nextTurn } from "node:timers/promises";
import { Tokenizer } from "tokenizers";
import type { Text } from "#jinja/given-text.ts";
import { BytePairEncoder } from "#renderer/byte-pair-encoder.ts";
import type { ControlTokens } from "#renderer/control-tokens.ts";
import { ENCODER_PROBES } from "#renderer/encoder-probes.ts";
import { idsCache } from "#renderer/ids-cache.ts";

const CACHED_PIECES = 8192;
const LONGEST_CACHED = 32_768;
/** More than so much text at once would hold the event loop up: one long piece goes to the library's threads, many short ones take turns. */
const AT_ONCE = 16_384;

/**
 * Encodes rendered text. Control tokens come from where the template wrote them; between them runs the
 * tokenizer without added tokens. For text without forged control tokens that is what `encode` of the
 * whole gives, because an added token is a hard split.
 */
export class TextEncoder {
  readonly #bare: Tokenizer;
  readonly #own: BytePairEncoder | null;
  readonly #control: ControlTokens;
  readonly #cache = idsCache(CACHED_PIECES);

  private constructor(bare: Tokenizer, own: BytePairEncoder | null, control: ControlTokens) {
    this.#bare = bare;
    this.#own = own;
    this.#control = control;
  }

  /** Our own encoder serves where it knows the tokenizer's sort and gives the library's ids for every probe. */
  static async load(bareTokenizerText: string, control: ControlTokens): Promise<TextEncoder> {
    const bare = Tokenizer.fromString(bareTokenizerText);
    const own = BytePairEncoder.open(JSON.parse(bareTokenizerText));
    const agrees = own !== null && (await agreesOnProbes(own, bare));
    return new TextEncoder(bare, agrees ? own : null, control);
  }

  /** Whether the library is asked only where our own encoder does not know. */
  get isOwn(): boolean {
    return this.#own !== null;
  }

  async encode(rendered: Text): Promise<number[]> {
    const ids: number[] = [];
    let atOnce = 0;
    for (const piece of this.#control.split(rendered)) {
      if (typeof piece === "number") {
        ids.push(piece);
        continue;
      }
      atOnce += piece.length;
      if (atOnce > AT_ONCE) {
        await nextTurn();
        atOnce = piece.length;
      }
      for (const id of await this.encodePlain(piece)) ids.push(id);
    }
    return ids;
  }

  /** Ids of text in which nothing is a control token. */
  async encodePlain(text: string): Promise<readonly number[]> {
    if (text === "") return [];
    // Our own encoder keeps words, which come again far more often than whole texts do.
    const own = text.length <= AT_ONCE ? this.#own?.encode(text) : null;
    if (own) return own;
    const held = this.#cache.get(text);
    if (held) return held;
    const ids = await libraryIds(this.#bare, text);
    if (text.length <= LONGEST_CACHED) this.#cache.set(text, ids);
    return ids;
  }
}

async function libraryIds(bare: Tokenizer, text: string): Promise<number[]> {
  return (await bare.encode(text, null, { addSpecialTokens: false })).getIds();
}

async function agreesOnProbes(own: BytePairEncoder, bare: Tokenizer): Promise<boolean> {
  for (const text of ENCODER_PROBES) {
    const ids = own.encode(text);
    const expected = await libraryIds(bare, text);
    if (ids && (ids.length !== expected.length || ids.some((id, i) => id !== expected[i])))
      return false;
  }
  return true;
}
