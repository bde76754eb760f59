import type { ModelShape } from "#launch/verl-evidence/verl-evidence.ts";

/**
 * Parameters of a decoder with grouped-query attention and gated MLPs: embeddings, per layer the projections of
 * q, k, v and o, three matrices of each expert (or of the one MLP), the router and two norms. `active`: what one
 * token uses. Qwen2.5-7B comes to 7.6 billion, Qwen3-30B-A3B to 30.5 with 3.3 active, as their cards say. Linear
 * attention is counted like the other, which is a few per cent off.
 */
export function countParameters(shape: ModelShape): { total: number; active: number } {
  const { hidden, headDim, experts } = shape;
  const embeddings = shape.vocab * hidden * (shape.tiedEmbeddings ? 1 : 2);
  const attention = 2 * hidden * shape.heads * headDim + 2 * hidden * shape.kvHeads * headDim;
  const mlp = (width: number) => 3 * hidden * width;
  const layer = (used: number) =>
    attention +
    2 * hidden +
    (experts === null
      ? mlp(shape.intermediate)
      : used * mlp(experts.intermediate) +
        mlp(experts.sharedIntermediate) +
        hidden * experts.count);
  return {
    total: embeddings + shape.layers * layer(experts?.count ?? 1),
    active: embeddings + shape.layers * layer(experts?.perToken ?? 1),
  };
}
