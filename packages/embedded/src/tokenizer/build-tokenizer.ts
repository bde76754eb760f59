import { EMBEDDED_POLICY } from "@liverl/contract/embedded-policy";
import { ADDED_TOKENS, isSpecial, PAD, TURN_END } from "#tokenizer/added-tokens.ts";
import { tokenizerCorpus } from "#tokenizer/corpus.ts";
import { SPLIT_PATTERN, trainBpe } from "#tokenizer/train-bpe.ts";

const BYTE_LEVEL = {
  type: "ByteLevel",
  add_prefix_space: false,
  trim_offsets: false,
  use_regex: false,
};

/** `tokenizer.json` as Hugging Face's libraries read it. Deterministic. */
export function buildTokenizer() {
  const { vocab, merges } = trainBpe(
    tokenizerCorpus(),
    EMBEDDED_POLICY.vocab_size - ADDED_TOKENS.length,
  );
  if (vocab.size + ADDED_TOKENS.length !== EMBEDDED_POLICY.vocab_size)
    throw new Error(
      `vocab_size is ${EMBEDDED_POLICY.vocab_size}, but the tasks fill only ${vocab.size + ADDED_TOKENS.length} ids`,
    );
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: ADDED_TOKENS.map((content, i) => ({
      id: vocab.size + i,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: isSpecial(content),
    })),
    normalizer: null,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: SPLIT_PATTERN }, behavior: "Isolated", invert: false },
        BYTE_LEVEL,
      ],
    },
    post_processor: null,
    decoder: BYTE_LEVEL,
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
export type TokenizerJson = ReturnType<typeof buildTokenizer>;

/** `tokenizer_config.json`. */
export const TOKENIZER_CONFIG = {
  tokenizer_class: "PreTrainedTokenizerFast",
  eos_token: TURN_END,
  pad_token: PAD,
  add_prefix_space: false,
  clean_up_tokenization_spaces: false,
  model_max_length: 256,
} as const;
