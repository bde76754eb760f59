import { z } from "zod";
import { asciiSplit, type EndOfPiece } from "#renderer/ascii-split.ts";
import { BYTE_CHARACTERS } from "#renderer/byte-level.ts";
import { MergeTable } from "#renderer/merge-table.ts";
import { splitPattern } from "#renderer/split-pattern.ts";
import { WordTable } from "#renderer/word-table.ts";

const LONGEST_CACHED = 64;
const LAST_ASCII = 0x7f;
/** GPT-2's expression, which `ByteLevel` has of its own. */
const BYTE_LEVEL_PATTERN =
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

/**
 * Characters whose categories and compositions have stood for many versions of Unicode, so that this process and the library agree on
 * them whatever versions both were made with. Text with others is left to the library.
 */
const SETTLED = new RegExp(
  `^[${(
    "0-52f 531-58f 591-5f4 600-6ff 900-97f e00-e7f 10d0-10ff 1e00-209c 20a0-20bf 2100-218b 2190-23ff 2460-2b73 " +
    "3000-30ff 31f0-33ff 3400-4db5 4e00-9fef ac00-d7a3 e000-f8ff fb00-fb06 fe00-fe0f feff ff00-ffee fffd 1f1e6-1f1ff 1f300-1f6d5 1f900-1f9ff"
  )
    .replace(/[0-9a-f]+/g, "\\u{$&}")
    .replaceAll(" ", "")}]*$`,
  "u",
);
const LATIN_1 = 0xff;

const Split = z.looseObject({
  type: z.literal("Split"),
  pattern: z.union([z.strictObject({ Regex: z.string() }), z.strictObject({ String: z.string() })]),
  behavior: z.literal("Isolated"),
  invert: z.literal(false),
});
const ByteLevel = z.looseObject({
  type: z.literal("ByteLevel"),
  add_prefix_space: z.literal(false),
  use_regex: z.boolean().default(true),
});
const Step = z.union([Split, ByteLevel]);
const PreTokenizer = z.union([
  Step,
  z.looseObject({ type: z.literal("Sequence"), pretokenizers: z.array(Step).min(1) }),
]);
const Nfc = z.looseObject({ type: z.literal("NFC") });
const Empty = z.union([z.null(), z.literal("")]).optional();

/** The tokenizers that this file encodes as the library does: byte-level BPE as Qwen, Llama 3, DeepSeek, GLM and gpt-oss have it. */
const ByteLevelBpe = z.looseObject({
  normalizer: z
    .union([Nfc, z.looseObject({ type: z.literal("Sequence"), normalizers: z.array(Nfc).max(1) })])
    .nullish(),
  pre_tokenizer: PreTokenizer,
  model: z.looseObject({
    type: z.literal("BPE"),
    dropout: z.null().optional(),
    continuing_subword_prefix: Empty,
    end_of_word_suffix: Empty,
    byte_fallback: z.literal(false).optional(),
    ignore_merges: z.boolean().default(false),
    // The library has read the same text: there is no need to look at some hundred thousand of them again.
    vocab: z.custom<Record<string, number>>((value) => typeof value === "object" && value !== null),
    merges: z.custom<(string | [string, string])[]>(Array.isArray),
  }),
});

/** One expression, to be tried at a place and to be looked for from there. */
interface Splitter {
  here: RegExp;
  next: RegExp;
  /** The same for ASCII, where it is known. */
  ascii: EndOfPiece | null;
}

/**
 * Byte-level BPE in this process: some ten times cheaper than Rust's `tokenizers` on an agent's turn, because words come from a cache
 * and no thread is asked. It gives the library's ids or does not exist: {@link open} refuses what it does not know.
 */
export class BytePairEncoder {
  readonly #splits: readonly Splitter[];
  readonly #normalizes: boolean;
  readonly #table: MergeTable;
  readonly #byteIds: readonly number[];
  /** Whole words that need no merging, in byte characters; where the model says so. */
  readonly #whole: ReadonlyMap<string, number> | null;
  readonly #words = new WordTable();
  /** UTF-16 units of the text that is being encoded. */
  #units = new Uint16Array(0);
  #bytes = Buffer.from(this.#units.buffer);

  private constructor(
    splits: readonly Splitter[],
    normalizes: boolean,
    { merges, ignore_merges }: z.infer<typeof ByteLevelBpe>["model"],
    vocab: ReadonlyMap<string, number>,
    byteIds: readonly number[],
  ) {
    this.#splits = splits;
    this.#normalizes = normalizes;
    this.#byteIds = byteIds;
    this.#whole = ignore_merges ? vocab : null;
    this.#table = new MergeTable(
      merges.map((merge) => {
        const [left = "", right = ""] = typeof merge === "string" ? merge.split(" ") : merge;
        return [vocab.get(left) ?? -1, vocab.get(right) ?? -1, vocab.get(left + right) ?? -1];
      }),
    );
  }

  /** Null where `tokenizer` (of a tokenizer.json) is of another sort. Its added tokens are not looked at. */
  static open(tokenizer: unknown): BytePairEncoder | null {
    const known = ByteLevelBpe.safeParse(tokenizer).data;
    if (!known) return null;
    const splits = splitsOf(known.pre_tokenizer);
    const vocab = new Map(Object.entries(known.model.vocab));
    const byteIds = BYTE_CHARACTERS.map((character) => vocab.get(character) ?? -1);
    if (!splits || byteIds.includes(-1)) return null;
    return new BytePairEncoder(splits, known.normalizer != null, known.model, vocab, byteIds);
  }

  /** The text's ids; null where the library has to say, because of a character that is rare. */
  encode(text: string): number[] | null {
    const most = this.#write(text);
    if (most > LAST_ASCII && !SETTLED.test(text)) return null;
    const normal = this.#normalizes && most > LATIN_1 ? text.normalize("NFC") : text;
    if (normal !== text) this.#write(normal);
    const ids: number[] = [];
    this.#split(normal, 0, 0, ids);
    return ids;
  }

  /** Lays the text's units out; returns a number that is as great as the greatest of them, in bits. */
  #write(text: string): number {
    if (text.length > this.#units.length) {
      this.#units = new Uint16Array(text.length * 2);
      this.#bytes = Buffer.from(this.#units.buffer);
    }
    const units = this.#units;
    this.#bytes.write(text, "utf16le");
    let bits = 0;
    for (let at = 0; at < text.length; at++) bits |= units[at] ?? 0;
    return bits;
  }

  /** Matches of the `step`th expression and what lies between them, each split by the next ones; `text` stands at `offset`. */
  #split(text: string, offset: number, step: number, ids: number[]): void {
    const splitter = this.#splits[step];
    if (!splitter) {
      this.#pushWord(offset, offset + text.length, ids);
      return;
    }
    const isLast = step + 1 === this.#splits.length;
    for (let from = 0; from < text.length; ) {
      const to = this.#endOfPiece(splitter, text, offset, from);
      if (isLast) this.#pushWord(offset + from, offset + to, ids);
      else this.#split(text.slice(from, to), offset + from, step + 1, ids);
      from = to;
    }
  }

  #endOfPiece({ here, next, ascii }: Splitter, text: string, offset: number, from: number): number {
    const end = ascii?.(this.#units, offset + from, offset + text.length) ?? -1;
    if (end > 0) return end - offset;
    here.lastIndex = from;
    // Almost every piece is a match: to test makes no object, to search does.
    if (here.test(text)) return here.lastIndex;
    next.lastIndex = from;
    return next.exec(text)?.index ?? text.length;
  }

  #pushWord(from: number, to: number, ids: number[]): void {
    const units = this.#units;
    if (this.#words.pushIds(units, from, to, ids)) return;
    const text = this.#bytes.toString("utf16le", from * 2, to * 2);
    const merged = this.#merge(Buffer.from(text, "utf8"));
    if (to - from <= LONGEST_CACHED) this.#words.add(units, from, to, merged);
    for (const id of merged) ids.push(id);
  }

  #merge(bytes: Buffer): readonly number[] {
    if (this.#whole) {
      let characters = "";
      for (const byte of bytes) characters += BYTE_CHARACTERS[byte];
      const id = this.#whole.get(characters);
      if (id !== undefined) return [id];
    }
    return this.#table.apply(Array.from(bytes, (byte) => this.#byteIds[byte] ?? -1));
  }
}

/** Each step's expression; null where one is not known, or where bytes are made before the last step. */
function splitsOf(given: z.infer<typeof PreTokenizer>): Splitter[] | null {
  const steps = given.type === "Sequence" ? given.pretokenizers : [given];
  if (steps.findIndex((step) => step.type === "ByteLevel") !== steps.length - 1) return null;
  const sources = steps.flatMap((step) => {
    if (step.type === "ByteLevel") return step.use_regex ? [BYTE_LEVEL_PATTERN] : [];
    return "Regex" in step.pattern ? [step.pattern.Regex] : [literal(step.pattern.String)];
  });
  const splits = sources.map((source) => {
    const next = splitPattern(source);
    return next && { here: new RegExp(next.source, "uy"), next, ascii: asciiSplit(source) };
  });
  return splits.every((split) => split !== null) ? splits : null;
}

const literal = (text: string) => text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&");
