import { parameterShapes } from "@liverl/contract/embedded-policy";
import type { ModelConfig } from "#model/architecture.ts";
import type { Value } from "#onnx/graph-builder.ts";
import { rotaryTables } from "#onnx/rotary-tables.ts";
import type { Tape } from "#onnx/tape.ts";

export interface Trunk {
  /** Token plus previous-token embedding, [B·T, D]; its gradient is scattered outside the graph. */
  embedded: Value;
  /** After the last norm, [B·T, D]. */
  hidden: Value;
  /** Rotated keys and values of each layer, [B, heads, T, head size]. */
  layers: { keys: Value; values: Value }[];
}

/** Gradient of `embedded` goes to these two by row, in plain code: a matrix product over one-hot rows costs far more. */
export const EMBEDDINGS = ["embed_tokens", "embed_previous"] as const;

/**
 * The transformer over whole sequences. Inputs `ids`, `previous`, `positions` [B, T] (int64) and `mask` [1, 1, T, T]
 * (0 where attention may look, very negative elsewhere), beside the parameters by name.
 */
export function buildTrunk(tape: Tape, config: ModelConfig): Trunk {
  const g = tape.graph;
  const d = config.hidden_size;
  const heads = config.num_attention_heads;
  const size = d / heads;
  for (const { name, shape } of parameterShapes(config)) g.input(name, "float32", shape);
  for (const name of ["ids", "previous", "positions"]) g.input(name, "int64", ["B", "T"]);
  g.input("mask", "float32", [1, 1, "T", "T"]);
  const tables = rotaryTables(g, config);

  const batch = g.operator("Shape", ["ids"]);
  const splitShape = g.operator("Concat", [batch, g.integers([3, heads, size])], { axis: 0 });
  const headShape = g.operator("Concat", [batch, g.integers([heads, size])], { axis: 0 });
  const joined = g.integers([-1, 3 * d]);
  const rows = g.integers([-1, d]);
  const embed = (table: string, ids: string) =>
    g.operator("Gather", [table, g.operator("Reshape", [ids, g.integers([-1])])], { axis: 0 });
  const embedded = g.operator("Add", [
    embed("embed_tokens", "ids"),
    embed("embed_previous", "previous"),
  ]);

  const layers: Trunk["layers"] = [];
  let x = embedded;
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const weight = (name: string) => `layers.${layer}.${name}`;
    const joinedHeads = tape.linear(tape.rmsNorm(x, weight("attention_norm")), weight("qkv"));
    const stacked = tape.transpose(tape.reshape(joinedHeads, splitShape, joined), [2, 0, 3, 1, 4]);
    const [query = "", key = "", value = ""] = tape.unstack(stacked, 3);
    const keys = tape.rotary(key, "positions", tables);
    layers.push({ keys, values: value });
    const scores = tape.matmul(
      tape.rotary(query, "positions", tables),
      keys,
      true,
      1 / Math.sqrt(size),
    );
    const mixed = tape.matmul(tape.maskedSoftmax(scores, "mask"), value, false, 1);
    const attended = tape.reshape(tape.transpose(mixed, [0, 2, 1, 3]), rows, headShape);
    x = tape.add(x, tape.linear(attended, weight("attention_out")));
    const wide = tape.relu(tape.linear(tape.rmsNorm(x, weight("mlp_norm")), weight("mlp_in")));
    x = tape.add(x, tape.linear(wide, weight("mlp_out")));
  }
  return { embedded, hidden: tape.rmsNorm(x, "norm"), layers };
}

export interface Head {
  /** What the trunk says at the rows, [R, D]. */
  features: Value;
  logits: Value;
  logProbabilities: Value;
}

/** Log-probabilities [R, V] at the positions `rows` [R] of the flattened batch; logits are scaled by `inverseTemperature`. */
export function buildHead(tape: Tape, trunk: Trunk): Head {
  const g = tape.graph;
  g.input("rows", "int64", ["R"]);
  g.input("inverseTemperature", "float32", []);
  const features = tape.takeRows(trunk.hidden, "rows");
  const raw = tape.linear(features, "lm_head", true);
  const logits = tape.scale(raw, "inverseTemperature");
  return { features, logits, logProbabilities: g.operator("LogSoftmax", [logits], { axis: -1 }) };
}
