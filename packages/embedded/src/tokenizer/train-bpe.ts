import { BYTE_ALPHABET } from "#tokenizer/byte-alphabet.ts";

/** Qwen's pre-tokenizer as tokenizer.json spells it, and the same expression for JavaScript, which has no inline (?i:…). */
export const SPLIT_PATTERN =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const SPLIT =
  /'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

export interface Bpe {
  /** Symbol → id: the 256 bytes, then the merges in order. */
  vocab: Map<string, number>;
  merges: [string, string][];
}

interface Word {
  symbols: string[];
  count: number;
}

function countWords(texts: readonly string[]): Word[] {
  const encoder = new TextEncoder();
  const words = new Map<string, Word>();
  for (const text of texts) {
    for (const [piece] of text.matchAll(SPLIT)) {
      const known = words.get(piece);
      if (known) known.count++;
      else
        words.set(piece, {
          symbols: [...encoder.encode(piece)].map((byte) => BYTE_ALPHABET[byte] ?? ""),
          count: 1,
        });
    }
  }
  return [...words.values()];
}

/** The most frequent pair of neighbours; among equals the smallest text, so that the result depends on the texts alone. */
function bestPair(words: readonly Word[]): [string, string] | null {
  const counts = new Map<string, number>();
  for (const { symbols, count } of words) {
    for (let i = 0; i + 1 < symbols.length; i++) {
      const pair = `${symbols[i]} ${symbols[i + 1]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + count);
    }
  }
  let best = "";
  let most = 1;
  for (const [pair, count] of counts) {
    if (count > most || (count === most && best !== "" && pair < best)) {
      best = pair;
      most = count;
    }
  }
  const [left, right] = best.split(" ");
  return left !== undefined && right !== undefined ? [left, right] : null;
}

function merge({ symbols }: Word, left: string, right: string): void {
  for (let i = 0; i + 1 < symbols.length; i++) {
    if (symbols[i] === left && symbols[i + 1] === right) symbols.splice(i, 2, left + right);
  }
}

/** Byte-level byte-pair encoding with at most `vocabularySize` symbols. */
export function trainBpe(texts: readonly string[], vocabularySize: number): Bpe {
  const words = countWords(texts);
  const vocab = new Map(BYTE_ALPHABET.map((character, id) => [character, id]));
  const merges: [string, string][] = [];
  while (vocab.size < vocabularySize) {
    const pair = bestPair(words);
    if (!pair) break;
    const [left, right] = pair;
    merges.push(pair);
    // Two pairs may spell the same symbol; it keeps its first id.
    if (!vocab.has(left + right)) vocab.set(left + right, vocab.size);
    for (const word of words) merge(word, left, right);
  }
  return { vocab, merges };
}
