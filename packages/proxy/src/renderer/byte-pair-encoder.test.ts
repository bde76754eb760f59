import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { Tokenizer } from "tokenizers";
import { expect, it } from "vitest";
import { BytePairEncoder } from "#renderer/byte-pair-encoder.ts";
import { ControlTokens } from "#renderer/control-tokens.ts";
import { ENCODER_PROBES } from "#renderer/encoder-probes.ts";
import { TextEncoder } from "#renderer/text-encoder.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";
import { writeModelFolder } from "#testing/write-model-folder.ts";

/** Pre-tokenizers as the families' tokenizer.json have them. */
const PATTERNS = {
  qwen: [
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  ],
  llama: [
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  ],
  deepseek: [
    "\\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  ],
  o200k: [
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  ],
  gpt2: null,
} satisfies Record<string, string[] | null>;
type Pattern = keyof typeof PATTERNS;
const NAMES = Object.keys(PATTERNS) as Pattern[];

interface TokenizerJson {
  normalizer: unknown;
  pre_tokenizer: unknown;
  model: { ignore_merges: boolean };
}

async function tokenizerJson(): Promise<TokenizerJson> {
  const directory = await makeTemporaryDirectory("bpe");
  await writeModelFolder(directory);
  const json = JSON.parse(await readFile(join(directory, "tokenizer.json"), "utf8"));
  return { ...json, added_tokens: [] };
}
const base = await tokenizerJson();

function withPattern(name: Pattern, { nfc = true, ignoreMerges = false } = {}): TokenizerJson {
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: false };
  const patterns = PATTERNS[name];
  return {
    ...base,
    normalizer: nfc ? { type: "NFC" } : null,
    pre_tokenizer: patterns
      ? {
          type: "Sequence",
          pretokenizers: [
            ...patterns.map((Regex) => ({
              type: "Split",
              pattern: { Regex },
              behavior: "Isolated",
              invert: false,
            })),
            { ...byteLevel, use_regex: false },
          ],
        }
      : { ...byteLevel, use_regex: true },
    model: { ...base.model, ignore_merges: ignoreMerges },
  };
}

const both = NAMES.map((name) => {
  const json = withPattern(name, { ignoreMerges: name === "llama" });
  const own = BytePairEncoder.open(json);
  if (!own) throw new Error(`${name} is not known`);
  const library = Tokenizer.fromString(JSON.stringify(json));
  return {
    name,
    own,
    ids: async (text: string) =>
      (await library.encode(text, null, { addSpecialTokens: false })).getIds(),
  };
});

it.each(both)("gives the library's ids for every probe: $name", async ({ own, ids }) => {
  for (const text of ENCODER_PROBES) expect(own.encode(text), text).toEqual(await ids(text));
});

const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.string({ unit: "binary-ascii", maxLength: 12 }),
  fc.constantFrom(...ENCODER_PROBES.flatMap((probe) => probe.split(" "))),
  fc.constantFrom("'s", "'LL", "\u017f", "\u212a", "\r\n", "\n\n", "  ", "\t", "\u0085", "\ufeff"),
  fc.constantFrom("e\u0301", "\u1112\u1161\u11ab", "\u0344", "\ud800", "\udfff", "\u{1f9ea}"),
  fc.integer().map(String),
  fc
    .tuple(fc.constantFrom("a", " ", "\n", "9", "-", "é", "你", "return"), fc.nat(90))
    .map(([text, count]) => text.repeat(count)),
);

it.each(both)("gives the library's ids for any text, or leaves it: $name", async ({ own, ids }) => {
  let known = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const text = pieces.join("");
      const given = own.encode(text);
      if (given === null) return;
      known += 1;
      expect(given).toEqual(await ids(text));
    }),
    { numRuns: 500 },
  );
  expect(known).toBeGreaterThan(100);
});

// Between them these two ask for every class that the others ask for.
it.each(both.filter(({ name }) => name === "deepseek" || name === "o200k"))(
  "agrees on every settled character, in and out of words: $name",
  async ({ own, ids }) => {
    const lines: string[] = [];
    for (let code = 0; code <= 0x1faff; code += 1) {
      const character = String.fromCodePoint(code);
      if (own.encode(character) !== null)
        lines.push(`${character}a ${character}1${character} -${character}`);
    }
    expect(lines.length).toBeGreaterThan(40_000);
    for (let at = 0; at < lines.length; at += 400) {
      const text = lines.slice(at, at + 400).join("x");
      expect(own.encode(text)).toEqual(await ids(text));
    }
  },
);

it("encodes a word without end in less than quadratic time", () => {
  const [{ own }] = both as [(typeof both)[0]];
  const millisecondsOf = (length: number) => {
    const word = "thereturnfunctionline".repeat(length / 21);
    const began = performance.now();
    own.encode(word);
    return performance.now() - began;
  };
  millisecondsOf(21_000);
  // By pairs alone 210,000 letters would take a minute.
  expect(millisecondsOf(210_000)).toBeLessThan(5_000);
});

it.each([
  ["a normalizer", { normalizer: { type: "NFKC" } }],
  ["a prefix space", { pre_tokenizer: { type: "ByteLevel", add_prefix_space: true } }],
  ["a pre-tokenizer", { pre_tokenizer: { type: "Metaspace", replacement: "▁" } }],
  ["a model", { model: { type: "Unigram", vocab: [] } }],
])("leaves %s that it does not know to the library", (_, other) => {
  expect(BytePairEncoder.open({ ...withPattern("gpt2"), ...other })).toBeNull();
});

it.each(["\\w+|\\s+", "\\p{L}++", "(?i:straße)|.", "^a", "a*", "[a-z&&[^b]]+"])(
  "leaves the expression %s to the library",
  (Regex) => {
    const json = withPattern("gpt2");
    const step = { type: "Split", pattern: { Regex }, behavior: "Isolated", invert: false };
    const bytes = { type: "ByteLevel", add_prefix_space: false, use_regex: false };
    const pre_tokenizer = { type: "Sequence", pretokenizers: [step, bytes] };
    expect(BytePairEncoder.open({ ...json, pre_tokenizer })).toBeNull();
  },
);

it("serves long and rare text from the library, with the same ids", async () => {
  const json = withPattern("qwen");
  const encoder = await TextEncoder.load(JSON.stringify(json), new ControlTokens([]));
  const library = Tokenizer.fromString(JSON.stringify(json));
  expect(encoder.isOwn).toBe(true);
  for (const text of ["the function returns ".repeat(2_000), "\u{1e900}\u{1e922} \u{20000} x"]) {
    const expected = (await library.encode(text, null, { addSpecialTokens: false })).getIds();
    expect(await encoder.encodePlain(text)).toEqual(expected);
  }
});
