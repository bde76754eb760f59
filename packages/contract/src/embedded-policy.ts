/** Sizes of the embedded policy's network, under Hugging Face's names; `config.json` of a model folder has them too. */
export interface PolicyShape {
  vocab_size: number;
  hidden_size: number;
  intermediate_size: number;
  num_hidden_layers: number;
}

export const EMBEDDED_POLICY: PolicyShape = {
  // Symbols and added tokens together: just enough that every word of the tasks is one token, so that sequences are short
  // and no wording shares pieces with another. More would leave ids that mean nothing and can be sampled.
  vocab_size: 623,
  hidden_size: 64,
  intermediate_size: 256,
  num_hidden_layers: 2,
};

export interface ParameterShape {
  name: string;
  shape: number[];
}

/** Every parameter in the one order that graphs, files and hashes use. */
export function parameterShapes({
  hidden_size: d,
  intermediate_size: f,
  vocab_size: v,
  num_hidden_layers,
}: PolicyShape): ParameterShape[] {
  const shapes: ParameterShape[] = [
    { name: "embed_tokens", shape: [v, d] },
    { name: "embed_previous", shape: [v, d] },
  ];
  for (let layer = 0; layer < num_hidden_layers; layer++) {
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

export function parameterCount(policy: PolicyShape): number {
  return parameterShapes(policy).reduce(
    (sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1),
    0,
  );
}
