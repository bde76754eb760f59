import { z } from "zod";
import type { ModelShape } from "#launch/verl-evidence/verl-evidence.ts";

const size = z.number().int().positive();
const optional = size.nullish();

/** Keys of a Hugging Face config.json (transformers' PretrainedConfig), those that the shape needs. */
const Text = z.looseObject({
  model_type: z.string().optional(),
  num_hidden_layers: size,
  hidden_size: size,
  intermediate_size: optional,
  num_attention_heads: size,
  num_key_value_heads: optional,
  head_dim: optional,
  vocab_size: size,
  tie_word_embeddings: z.boolean().nullish(),
  max_position_embeddings: optional,
  torch_dtype: z.string().nullish(),
  dtype: z.string().nullish(),
  num_experts: optional,
  num_local_experts: optional,
  n_routed_experts: optional,
  num_experts_per_tok: optional,
  moe_intermediate_size: optional,
  shared_expert_intermediate_size: z.number().int().nonnegative().nullish(),
  layer_types: z.array(z.string()).nullish(),
  full_attention_interval: optional,
});
const Config = z.looseObject({
  model_type: z.string(),
  tie_word_embeddings: z.boolean().nullish(),
  torch_dtype: z.string().nullish(),
  dtype: z.string().nullish(),
  text_config: z.unknown().optional(),
});

const BYTES: Record<string, number> = { float32: 4, bfloat16: 2, float16: 2, float8_e4m3fn: 1 };
const GATED_DELTA_NET = /^qwen3_(5|next)/;

/** The shape in a parsed config.json; a model of text and images keeps that of its text part. Throws a ZodError. */
export function parseModelShape(json: unknown): ModelShape {
  const outer = Config.parse(json);
  const text = Text.parse(outer.text_config ?? json);
  const intermediate = text.intermediate_size ?? text.moe_intermediate_size ?? 4 * text.hidden_size;
  const dtype = text.dtype ?? text.torch_dtype ?? outer.dtype ?? outer.torch_dtype ?? "bfloat16";
  const isLinear = text.layer_types?.includes("linear_attention") ?? false;
  return {
    modelType: outer.model_type,
    layers: text.num_hidden_layers,
    hidden: text.hidden_size,
    intermediate,
    heads: text.num_attention_heads,
    kvHeads: text.num_key_value_heads ?? text.num_attention_heads,
    headDim: text.head_dim ?? Math.floor(text.hidden_size / text.num_attention_heads),
    vocab: text.vocab_size,
    tiedEmbeddings: text.tie_word_embeddings ?? outer.tie_word_embeddings ?? false,
    maxPositions: text.max_position_embeddings ?? null,
    weightBytes: BYTES[dtype] ?? 2,
    experts: expertsOf(text, intermediate),
    attentionLayers: attentionLayers(text),
    hasGatedDeltaNet: isLinear || GATED_DELTA_NET.test(outer.model_type),
  };
}

function expertsOf(text: z.infer<typeof Text>, intermediate: number): ModelShape["experts"] {
  const count = text.num_experts ?? text.num_local_experts ?? text.n_routed_experts ?? 0;
  if (count < 2) return null;
  return {
    count,
    perToken: text.num_experts_per_tok ?? 1,
    intermediate: text.moe_intermediate_size ?? intermediate,
    sharedIntermediate: text.shared_expert_intermediate_size ?? 0,
  };
}

function attentionLayers(text: z.infer<typeof Text>): number {
  if (text.layer_types)
    return text.layer_types.filter((type) => type !== "linear_attention").length;
  if (text.full_attention_interval)
    return Math.floor(text.num_hidden_layers / text.full_attention_interval);
  return text.num_hidden_layers;
}
