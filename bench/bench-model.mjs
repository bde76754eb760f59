// A model folder of realistic size for benches: byte-level BPE of 32,000 merges, trained on the code and prose of node_modules
// (the lock file pins it), with Qwen's pre-tokenizer and its ChatML template. No vendor's vocabulary is to be had offline.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { say } from "./liverl.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const MERGES = 32_000;
const CORPUS_BYTES = 16_000_000;
const LARGEST_FILE = 120_000;
const CORPUS_PACKAGES = [
  "@types/node",
  "typescript",
  "undici",
  "zod",
  "playwright-core",
  "next",
  "react-dom",
  "fastify",
];
const SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
const ADDED = [...SPECIAL, "<tool_call>", "</tool_call>"];
/** As tokenizer.json spells it, with `(?i:…)`, and for JavaScript. */
const SPLIT_PATTERN =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const SPLIT =
  /'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/** GPT-2's byte alphabet. */
const ALPHABET = (() => {
  let extra = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCharCode(printable ? byte : extra++);
  });
})();

function* textFiles(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* textFiles(path);
    else if (/\.(md|ts|js|mjs)$/.test(entry.name) && !entry.name.includes(".min.")) yield path;
  }
}

function readCorpus() {
  const texts = [];
  for (const name of CORPUS_PACKAGES) {
    let left = CORPUS_BYTES / CORPUS_PACKAGES.length;
    for (const path of textFiles(join(root, "node_modules", name))) {
      const text = readFileSync(path, "utf8").slice(0, LARGEST_FILE);
      texts.push(text);
      left -= text.length;
      if (left <= 0) break;
    }
  }
  return texts;
}

function countWords(texts) {
  const counts = new Map();
  for (const text of texts)
    for (const [word] of text.matchAll(SPLIT)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => ({ symbols: [...Buffer.from(word, "utf8")], count }));
}

const WIDTH = 1 << 20;

/** The pairs of neighbours, how often each occurs and in which words; kept up while pairs are merged. */
class Pairs {
  #words;
  #counts = new Map();
  #places = new Map();
  /** Pairs by count, filled lazily: an entry may be out of date. */
  #queue = new Map();
  #highest = 0;

  constructor(words) {
    this.#words = words;
    for (const [i, { symbols, count }] of words.entries())
      for (let at = 0; at + 1 < symbols.length; at++)
        this.#add(symbols[at] * WIDTH + symbols[at + 1], count, i);
    for (const [pair, count] of this.#counts) this.#enqueue(pair, count);
  }

  #add(pair, count, word) {
    this.#counts.set(pair, (this.#counts.get(pair) ?? 0) + count);
    const places = this.#places.get(pair);
    if (places) places.add(word);
    else this.#places.set(pair, new Set([word]));
  }

  #enqueue(pair, count) {
    const level = this.#queue.get(count);
    if (level) level.push(pair);
    else this.#queue.set(count, [pair]);
    this.#highest = Math.max(this.#highest, count);
  }

  /** The most frequent pair; null when none occurs twice. */
  take() {
    for (; this.#highest > 1; this.#highest--) {
      const level = this.#queue.get(this.#highest);
      while (level?.length > 0) {
        const pair = level.pop();
        if (this.#counts.get(pair) === this.#highest) return pair;
      }
      this.#queue.delete(this.#highest);
    }
    return null;
  }

  merge(pair, symbol) {
    const left = Math.floor(pair / WIDTH);
    const right = pair % WIDTH;
    const touched = new Set();
    for (const i of this.#places.get(pair)) {
      const { symbols, count } = this.#words[i];
      const merged = [];
      for (let at = 0; at < symbols.length; at++) {
        if (symbols[at] !== left || symbols[at + 1] !== right) {
          merged.push(symbols[at]);
          continue;
        }
        merged.push(symbol);
        at += 1;
      }
      for (let at = 0; at + 1 < symbols.length; at++) {
        const old = symbols[at] * WIDTH + symbols[at + 1];
        this.#counts.set(old, this.#counts.get(old) - count);
        touched.add(old);
      }
      for (let at = 0; at + 1 < merged.length; at++) {
        const made = merged[at] * WIDTH + merged[at + 1];
        this.#add(made, count, i);
        touched.add(made);
      }
      this.#words[i].symbols = merged;
    }
    this.#counts.delete(pair);
    this.#places.delete(pair);
    for (const other of touched) {
      const count = this.#counts.get(other);
      if (count > 1) this.#enqueue(other, count);
    }
  }
}

function trainBpe(texts) {
  const pairs = new Pairs(countWords(texts));
  const symbols = [...ALPHABET];
  const vocab = new Map(symbols.map((text, id) => [text, id]));
  const merges = [];
  while (merges.length < MERGES) {
    const pair = pairs.take();
    if (pair === null) throw new Error("the corpus is too small for the bench's vocabulary");
    const [left, right] = [symbols[Math.floor(pair / WIDTH)], symbols[pair % WIDTH]];
    merges.push([left, right]);
    const text = left + right;
    // Two pairs may spell the same text; it keeps its first id.
    if (!vocab.has(text)) {
      vocab.set(text, symbols.length);
      symbols.push(text);
    }
    pairs.merge(pair, vocab.get(text));
  }
  return { vocab, merges };
}

function tokenizerOf({ vocab, merges }) {
  const byteLevel = {
    type: "ByteLevel",
    add_prefix_space: false,
    trim_offsets: false,
    use_regex: false,
  };
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: ADDED.map((content, i) => ({
      id: vocab.size + i,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: SPECIAL.includes(content),
    })),
    normalizer: null,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: SPLIT_PATTERN }, behavior: "Isolated", invert: false },
        byteLevel,
      ],
    },
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(vocab),
      merges,
    },
  };
}

function writeFolder(directory, tokenizer) {
  mkdirSync(directory, { recursive: true });
  const files = {
    "chat_template.jinja": readFileSync(join(root, "bench/chatml.jinja"), "utf8"),
    "tokenizer_config.json": JSON.stringify({
      eos_token: "<|im_end|>",
      pad_token: "<|endoftext|>",
    }),
    "config.json": JSON.stringify({
      model_type: "bench",
      eos_token_id: tokenizer.added_tokens[2].id,
      max_position_embeddings: 262_144,
    }),
    "tokenizer.json": JSON.stringify(tokenizer),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
}

let made = null;

/** Where the folder is; it is trained at the first use (half a minute) and kept in `.cache`. */
export function benchModel() {
  made ??= makeModel();
  return made;
}

function makeModel() {
  const corpus = readCorpus();
  const digest = createHash("sha256").update(readFileSync(fileURLToPath(import.meta.url)));
  for (const text of corpus) digest.update(text);
  const name = `bench-model-${digest.digest("hex").slice(0, 16)}`;
  const directory = join(root, ".cache", name);
  if (existsSync(directory)) return directory;
  say(`training a tokenizer of ${MERGES} merges (once)`);
  const making = `${directory}.${process.pid}`;
  writeFolder(making, tokenizerOf(trainBpe(corpus)));
  renameSync(making, directory);
  return directory;
}

/** Ids of tokens that are whole words of ASCII: any row of them is the text it looks like. Also the text of each. */
export function wordTokens(directory) {
  const { model } = JSON.parse(readFileSync(join(directory, "tokenizer.json"), "utf8"));
  return Object.entries(model.vocab)
    .filter(([token]) => /^Ġ[a-z]{2,7}$/.test(token))
    .map(([token, id]) => ({ id, text: ` ${token.slice(1)}` }));
}

/** Ids of `text` byte by byte, control tokens as such: a spelling that no tokenizer would choose and a policy may. */
export function speller(directory) {
  const { model, added_tokens: added } = JSON.parse(
    readFileSync(join(directory, "tokenizer.json"), "utf8"),
  );
  const control = new Map(added.map(({ content, id }) => [content, id]));
  const any = new RegExp(`(${ADDED.map((token) => token.replaceAll("|", "\\|")).join("|")})`);
  return (text) =>
    text
      .split(any)
      .flatMap((piece) =>
        control.has(piece)
          ? [control.get(piece)]
          : [...Buffer.from(piece, "utf8")].map((byte) => model.vocab[ALPHABET[byte]]),
      );
}
