import { BYTE_CHARACTERS } from "@liverl/proxy/renderer/byte-level";

/** GPT-2's word pattern, which a `ByteLevel` pre-tokenizer with `use_regex` splits by. */
const WORD = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
const MERGES = 1500;

/** Texts of control tokens in the order of their ids, the special ones first. */
export const CONTROL_TOKENS = [
  { text: "<|endoftext|>", special: true },
  { text: "<|im_start|>", special: true },
  { text: "<|im_end|>", special: true },
  { text: "<tool_call>", special: false },
  { text: "</tool_call>", special: false },
  { text: "<tool_response>", special: false },
  { text: "</tool_response>", special: false },
  { text: "<think>", special: false },
  { text: "</think>", special: false },
] as const;
export type ControlText = (typeof CONTROL_TOKENS)[number]["text"];

/** A byte-level BPE that is trained on the spot: ordinary tokens in byte characters, merges, and control tokens after them. */
export class Vocabulary {
  readonly ordinary: ReadonlyMap<string, number>;
  readonly merges: readonly (readonly [string, string])[];
  readonly control: ReadonlyMap<string, number>;
  /** Bytes of every id. */
  readonly bytes: readonly Buffer[];

  constructor(corpus: string) {
    this.merges = learnMerges(corpus);
    const tokens = [...BYTE_CHARACTERS, ...this.merges.map(([left, right]) => left + right)];
    this.ordinary = new Map([...new Set(tokens)].map((token, id) => [token, id]));
    this.control = new Map(CONTROL_TOKENS.map(({ text }, i) => [text, this.ordinary.size + i]));
    const byteOf = new Map(BYTE_CHARACTERS.map((character, byte) => [character, byte]));
    this.bytes = [
      ...[...this.ordinary.keys()].map((token) =>
        Buffer.from([...token].map((character) => byteOf.get(character) ?? 0)),
      ),
      ...[...this.control.keys()].map((text) => Buffer.from(text, "utf8")),
    ];
  }

  controlId(text: ControlText): number {
    const id = this.control.get(text);
    if (id === undefined) throw new Error(`no control token ${text}`);
    return id;
  }

  decode(ids: readonly number[]): string {
    return Buffer.concat(ids.map((id) => this.bytes[id] ?? Buffer.alloc(0))).toString("utf8");
  }
}

/** Plain BPE training: the most frequent pair of neighbours becomes a token, again and again. */
function learnMerges(corpus: string): [string, string][] {
  const counts = new Map<string, number>();
  for (const [word] of corpus.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = [...counts]
    .filter(([, count]) => count > 1)
    .map(([word, count]) => ({
      parts: [...Buffer.from(word, "utf8")].map((byte) => BYTE_CHARACTERS[byte] ?? ""),
      count,
    }));
  const merges: [string, string][] = [];
  while (merges.length < MERGES) {
    const best = mostFrequentPair(words);
    if (best === null) break;
    const [left = "", right = ""] = best.split(" ");
    merges.push([left, right]);
    for (const word of words) word.parts = mergePair(word.parts, left, right);
  }
  return merges;
}

function mostFrequentPair(
  words: readonly { parts: readonly string[]; count: number }[],
): string | null {
  const pairs = new Map<string, number>();
  for (const { parts, count } of words) {
    for (let i = 1; i < parts.length; i++) {
      const pair = `${parts[i - 1]} ${parts[i]}`;
      pairs.set(pair, (pairs.get(pair) ?? 0) + count);
    }
  }
  let best: string | null = null;
  for (const [pair, count] of pairs) if (count > (pairs.get(best ?? "") ?? 1)) best = pair;
  return best;
}

function mergePair(parts: readonly string[], left: string, right: string): string[] {
  const merged: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? "";
    if (part === left && parts[i + 1] === right) {
      merged.push(left + right);
      i += 1;
    } else merged.push(part);
  }
  return merged;
}
