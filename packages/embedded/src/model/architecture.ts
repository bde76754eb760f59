import { z } from "zod";

/** `config.json` of a model folder: the shape of the network, under the names that Hugging Face uses. */
export const ModelConfig = z.object({
  architectures: z.tuple([z.literal("LiverlForCausalLM")]),
  model_type: z.literal("liverl"),
  vocab_size: z.number().int(),
  hidden_size: z.number().int(),
  intermediate_size: z.number().int(),
  num_hidden_layers: z.number().int(),
  num_attention_heads: z.number().int(),
  max_position_embeddings: z.number().int(),
  rope_theta: z.number(),
  rms_norm_eps: z.number(),
  hidden_act: z.literal("relu"),
  tie_word_embeddings: z.literal(false),
  torch_dtype: z.literal("float32"),
  eos_token_id: z.number().int(),
  pad_token_id: z.number().int(),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

export const ROPE_THETA = 10_000;

export interface ParameterShape {
  name: string;
  shape: number[];
}

/** Every parameter in the one order that graphs, files and hashes use. */
export function parameterShapes(config: ModelConfig): ParameterShape[] {
  const { hidden_size: d, intermediate_size: f, vocab_size: v } = config;
  const shapes: ParameterShape[] = [
    { name: "embed_tokens", shape: [v, d] },
    { name: "embed_previous", shape: [v, d] },
  ];
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    shapes.push(
      { name: `layers.${layer}.attention_norm`, shape: [d] },
      { name: `layers.${layer}.qkv`, shape: [d, 3 * d] },
      { name: `layers.${layer}.attention_out`, shape: [d, d] },
      { name: `layers.${layer}.mlp_norm`, shape: [d] },
      { name: `layers.${layer}.mlp_in`, shape: [d, f] },
      { name: `layers.${layer}.mlp_out`, shape: [f, d] },
    );
  }
  shapes.push({ name: "norm", shape: [d] }, { name: "lm_head", shape: [v, d] });
  return shapes;
}

export function parameterCount(config: ModelConfig): number {
  return parameterShapes(config).reduce(
    (sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1),
    0,
  );
}
