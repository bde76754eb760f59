import { type ModelConfig, ROPE_THETA } from "#model/architecture.ts";
import type { GraphBuilder, Value } from "#onnx/graph-builder.ts";

export interface RotaryTables {
  cos: Value;
  sin: Value;
  negativeSin: Value;
}

/** Constants [positions, head size / 2] of the rotary embedding. */
export function rotaryTables(graph: GraphBuilder, config: ModelConfig): RotaryTables {
  const half = config.hidden_size / config.num_attention_heads / 2;
  const positions = config.max_position_embeddings;
  const cos = new Float32Array(positions * half);
  const sin = new Float32Array(positions * half);
  for (let position = 0; position < positions; position++) {
    for (let i = 0; i < half; i++) {
      const angle = position / ROPE_THETA ** (i / half);
      cos[position * half + i] = Math.cos(angle);
      sin[position * half + i] = Math.sin(angle);
    }
  }
  const shape = [positions, half];
  return {
    cos: graph.constant("float32", shape, cos),
    sin: graph.constant("float32", shape, sin),
    negativeSin: graph.constant(
      "float32",
      shape,
      sin.map((value) => -value),
    ),
  };
}
