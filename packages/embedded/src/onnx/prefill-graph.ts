import type { ModelConfig } from "#model/architecture.ts";
import { Tape } from "#onnx/tape.ts";
import { buildTrunk } from "#onnx/trunk.ts";

/**
 * Whole prompts at once: the trunk's inputs and `rows` [R] of the flattened batch.
 * Outputs: `logits` [R, V] and, per layer, `keys.<layer>` and `values.<layer>` [B, heads, T, head size].
 */
export function buildPrefillGraph(config: ModelConfig): Uint8Array {
  const tape = new Tape();
  const g = tape.graph;
  const trunk = buildTrunk(tape, config);
  g.input("rows", "int64", ["R"]);
  const wanted = g.operator("Gather", [trunk.hidden, "rows"], { axis: 0 });
  g.output(g.operator("Gemm", [wanted, "lm_head"], { transB: 1 }), "logits", "float32", [
    "R",
    config.vocab_size,
  ]);
  const shape = [
    "B",
    config.num_attention_heads,
    "T",
    config.hidden_size / config.num_attention_heads,
  ];
  trunk.layers.forEach(({ keys, values }, layer) => {
    g.output(keys, `keys.${layer}`, "float32", shape);
    g.output(values, `values.${layer}`, "float32", shape);
  });
  return g.build();
}
