import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BYTE_CHARACTERS } from "#renderer/byte-level.ts";
import { CHATML_TEMPLATE } from "#testing/chatml-template.ts";

export const SPECIAL = {
  endOfText: "<|endoftext|>",
  start: "<|im_start|>",
  end: "<|im_end|>",
} as const;
const PLAIN_ADDED = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"] as const;
const MERGED_WORDS = [
  "user",
  "assistant",
  "system",
  "return",
  "function",
  "line",
  "the",
  "\n\n",
  "  ",
  " a",
  " b",
  "ing",
  "name",
  "arguments",
  "你好",
  "call",
  "tool",
  "<",
  "</",
  "think",
  "parameter",
];

const byteCharactersOf = (text: string) =>
  [...Buffer.from(text, "utf8")].map((byte) => BYTE_CHARACTERS[byte] ?? "");

/** Builds merges left to right until each word is one token. */
function buildVocabulary(words: readonly string[]): {
  vocab: Record<string, number>;
  merges: [string, string][];
} {
  const vocab: Record<string, number> = Object.fromEntries(
    BYTE_CHARACTERS.map((character, id) => [character, id]),
  );
  const merges: [string, string][] = [];
  for (const word of words) {
    const characters = byteCharactersOf(word);
    let left = characters[0] ?? "";
    for (const right of characters.slice(1)) {
      if (!(left + right in vocab)) {
        merges.push([left, right]);
        vocab[left + right] = Object.keys(vocab).length;
      }
      left += right;
    }
  }
  return { vocab, merges };
}

/**
 * Writes a small byte-level BPE model folder in Hugging Face form: 256 bytes, a few merges, and control tokens
 * of both sorts. `template` replaces the ChatML one, `tokens` the control tokens. Returns the ids of the added tokens
 * by text.
 */
export async function writeModelFolder(
  directory: string,
  {
    template = CHATML_TEMPLATE,
    decoder = "ByteLevel",
    tokens = { special: Object.values(SPECIAL), plain: PLAIN_ADDED, eos: SPECIAL.end },
  }: {
    template?: string;
    decoder?: string;
    tokens?: { special: readonly string[]; plain: readonly string[]; eos: string; bos?: string };
  } = {},
): Promise<Record<string, number>> {
  const { vocab, merges } = buildVocabulary(MERGED_WORDS);
  const base = Object.keys(vocab).length;
  const added = [...tokens.special, ...tokens.plain].map((content, i) => ({
    id: base + i,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: i < tokens.special.length,
  }));
  const byteLevel = {
    type: "ByteLevel",
    add_prefix_space: false,
    trim_offsets: false,
    use_regex: true,
  };
  const tokenizer = {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: { ...byteLevel, type: decoder },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab,
      merges,
    },
  };
  await mkdir(directory, { recursive: true });
  const files = {
    "tokenizer.json": JSON.stringify(tokenizer),
    "tokenizer_config.json": JSON.stringify({
      eos_token: tokens.eos,
      pad_token: tokens.special[0],
      bos_token: tokens.bos,
    }),
    "chat_template.jinja": template,
    "config.json": JSON.stringify({
      model_type: "tiny",
      eos_token_id: added.find(({ content }) => content === tokens.eos)?.id,
      max_position_embeddings: 4096,
    }),
  };
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeFile(join(directory, name), text)),
  );
  return Object.fromEntries(added.map(({ content, id }) => [content, id]));
}
