import { parameterShapes } from "@liverl/contract/embedded-policy";
import type { ModelConfig } from "#model/architecture.ts";
import { GraphBuilder } from "#onnx/graph-builder.ts";
import { rotaryTables } from "#onnx/rotary-tables.ts";
import { NORM_EPSILON } from "#onnx/tape.ts";

/**
 * One token of each of B sequences, over caches of C positions.
 * Inputs: `ids`, `previous` [B]; `positions` [B, 1]; `bias` [B, 1, 1, C] (0 on filled cache positions, very negative
 * elsewhere); `keys.<layer>`, `values.<layer>` [B, heads, C, head size].
 * Outputs: `logits` [B, V]; `new.keys.<layer>`, `new.values.<layer>` [B, heads, 1, head size]: the caller stores them,
 * because an output as large as the cache would be copied on every step.
 */
export function buildDecodeGraph(config: ModelConfig): Uint8Array {
  const g = new GraphBuilder();
  const { hidden_size: d, num_attention_heads: heads } = config;
  const size = d / heads;
  const scale = 1 / Math.sqrt(size);
  for (const { name, shape } of parameterShapes(config)) g.input(name, "float32", shape);
  for (const name of ["ids", "previous"]) g.input(name, "int64", ["B"]);
  g.input("positions", "int64", ["B", 1]);
  g.input("bias", "float32", ["B", 1, 1, "C"]);
  const tables = rotaryTables(g, config);
  const norm = (x: string, gain: string) =>
    g.operator("SimplifiedLayerNormalization", [x, gain], {
      axis: -1,
      epsilon: { float: NORM_EPSILON },
      stash_type: 1,
    });
  const rotate = (x: string) =>
    g.operator(
      "RotaryEmbedding",
      [x, "positions", tables.cos, tables.sin],
      { interleaved: 0 },
      "com.microsoft",
    );
  const matmul = (a: string, b: string, transposed: boolean, alpha: number) =>
    g.operator(
      "FusedMatMul",
      [a, b],
      { transA: 0, transB: Number(transposed), alpha: { float: alpha } },
      "com.microsoft",
    );
  const splitShape = g.integers([-1, 3, heads, 1, size]);
  const second = g.integers([1]);
  const rows = g.integers([-1, d]);

  let x = g.operator("Add", [
    g.operator("Gather", ["embed_tokens", "ids"], { axis: 0 }),
    g.operator("Gather", ["embed_previous", "previous"], { axis: 0 }),
  ]);
  const emptyCacheWidth = g.operator("Slice", [
    g.operator("Shape", ["bias"]),
    g.integers([3]),
    g.integers([4]),
  ]);
  const widths = g.operator("Concat", [emptyCacheWidth, g.integers([1])], { axis: 0 });
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const weight = (name: string) => `layers.${layer}.${name}`;
    const keys = g.input(`keys.${layer}`, "float32", ["B", heads, "C", size]);
    const values = g.input(`values.${layer}`, "float32", ["B", heads, "C", size]);
    const joined = g.operator("Gemm", [norm(x, weight("attention_norm")), weight("qkv")]);
    const parts = g.operators(
      "Split",
      [g.operator("Reshape", [joined, splitShape]), g.integers([1, 1, 1])],
      3,
      { axis: 1 },
    );
    const [query = "", key = "", value = ""] = parts.map((part) =>
      g.operator("Squeeze", [part, second]),
    );
    const turnedQuery = rotate(query);
    const turnedKey = rotate(key);
    const cached = g.operator("Add", [matmul(turnedQuery, keys, true, scale), "bias"]);
    const own = matmul(turnedQuery, turnedKey, true, scale);
    const weights = g.operator("Softmax", [g.operator("Concat", [cached, own], { axis: -1 })], {
      axis: -1,
    });
    const [onCached = "", onOwn = ""] = g.operators("Split", [weights, widths], 2, { axis: -1 });
    const mixed = g.operator("Add", [
      matmul(onCached, values, false, 1),
      g.operator("Mul", [onOwn, value]),
    ]);
    x = g.operator("Add", [
      x,
      g.operator("Gemm", [g.operator("Reshape", [mixed, rows]), weight("attention_out")]),
    ]);
    const wide = g.operator("Relu", [
      g.operator("Gemm", [norm(x, weight("mlp_norm")), weight("mlp_in")]),
    ]);
    x = g.operator("Add", [x, g.operator("Gemm", [wide, weight("mlp_out")])]);
    g.output(turnedKey, `new.keys.${layer}`, "float32", ["B", heads, 1, size]);
    g.output(value, `new.values.${layer}`, "float32", ["B", heads, 1, size]);
  }
  g.output(g.operator("Gemm", [norm(x, "norm"), "lm_head"], { transB: 1 }), "logits", "float32", [
    "B",
    config.vocab_size,
  ]);
  return g.build();
}
