import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CONTROL_TOKENS, type Vocabulary } from "#reality/agents/engine/vocabulary.ts";

/** The window that engine and proxy agree on unless a scenario wants a smaller one, in tokens. */
export const WINDOW = 131_072;

const REAL = "packages/proxy/src/testing/templates";
/** Chat templates by name: models that call tools in Hermes' grammar. Qwen3's own drops thought that lies behind. */
export const TEMPLATES = {
  "qwen2.5": `${REAL}/qwen2.5.jinja`,
  "qwen2.5-thinking": "e2e/reality/agents/templates/qwen2.5-thinking.jinja",
  qwen3: `${REAL}/qwen3.jinja`,
} as const;
export type TemplateName = keyof typeof TEMPLATES;

/** Writes the vocabulary with a model's template as a model folder in Hugging Face form. */
export async function writeAgentModel(
  directory: string,
  vocabulary: Vocabulary,
  template: TemplateName,
): Promise<void> {
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
    added_tokens: CONTROL_TOKENS.map(({ text, special }) => ({
      id: vocabulary.controlId(text),
      content: text,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special,
    })),
    normalizer: null,
    pre_tokenizer: byteLevel,
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
      vocab: Object.fromEntries(vocabulary.ordinary),
      merges: vocabulary.merges,
    },
  };
  const files = {
    "tokenizer.json": JSON.stringify(tokenizer),
    "tokenizer_config.json": JSON.stringify({
      eos_token: "<|im_end|>",
      pad_token: "<|endoftext|>",
    }),
    "chat_template.jinja": await readFile(TEMPLATES[template], "utf8"),
    "config.json": JSON.stringify({
      model_type: "qwen2",
      eos_token_id: vocabulary.controlId("<|im_end|>"),
      max_position_embeddings: WINDOW,
    }),
  };
  await mkdir(directory, { recursive: true });
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeFile(join(directory, name), text)),
  );
}
