import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { EMBEDDED_POLICY } from "@liverl/contract/embedded-policy";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { type ModelConfig, ROPE_THETA } from "#model/architecture.ts";
import { NORM_EPSILON } from "#onnx/tape.ts";
import { PAD, TURN_END } from "#tokenizer/added-tokens.ts";
import {
  buildTokenizer,
  TOKENIZER_CONFIG,
  type TokenizerJson,
} from "#tokenizer/build-tokenizer.ts";
import { CHAT_TEMPLATE } from "#tokenizer/chat-template.ts";

export function modelConfig(tokenizer: TokenizerJson): ModelConfig {
  const idOf = (content: string) => {
    const token = tokenizer.added_tokens.find((added) => added.content === content);
    if (!token) throw new Error(`the tokenizer has no ${content}`);
    return token.id;
  };
  return {
    architectures: ["LiverlForCausalLM"],
    model_type: "liverl",
    ...EMBEDDED_POLICY,
    num_attention_heads: 4,
    max_position_embeddings: TOKENIZER_CONFIG.model_max_length,
    rope_theta: ROPE_THETA,
    rms_norm_eps: NORM_EPSILON,
    hidden_act: "relu",
    tie_word_embeddings: false,
    torch_dtype: "float32",
    eos_token_id: idOf(TURN_END),
    pad_token_id: idOf(PAD),
  };
}

/** Files of a model folder without weights: name → text. Deterministic. */
export function modelFiles(): Record<string, string> {
  const tokenizer = buildTokenizer();
  return {
    "tokenizer.json": `${JSON.stringify(tokenizer)}\n`,
    "tokenizer_config.json": `${JSON.stringify(TOKENIZER_CONFIG, null, 2)}\n`,
    "chat_template.jinja": CHAT_TEMPLATE,
    "config.json": `${JSON.stringify(modelConfig(tokenizer), null, 2)}\n`,
  };
}

/** Writes the folder; `config.json` comes last, so that a reader who waits for it finds the others. */
export async function writeModelFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [name, text] of Object.entries(modelFiles()))
    await writeFileAtomic(join(directory, name), text);
}
