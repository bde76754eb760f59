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
