import type { ModelConfig } from "#model/architecture.ts";
import type { GraphBuilder, Value } from "#onnx/graph-builder.ts";
import { Tape } from "#onnx/tape.ts";
import { buildHead, buildTrunk } from "#onnx/trunk.ts";

/** Log-probability [R] of `targets` [R]. */
export function targetLogProbabilities(g: GraphBuilder, logProbabilities: Value): Value {
  const column = g.operator("Reshape", ["targets", g.integers([-1, 1])]);
  const taken = g.operator("GatherElements", [logProbabilities, column], { axis: 1 });
  return g.operator("Reshape", [taken, g.integers([-1])]);
}

/** Entropy [R, 1] of the distributions, nats. */
export function entropies(g: GraphBuilder, probabilities: Value, logProbabilities: Value): Value {
  const products = g.operator("Mul", [probabilities, logProbabilities]);
  return g.operator("Neg", [
    g.operator("ReduceSum", [products, g.integers([-1])], { keepdims: 1 }),
  ]);
}

/**
 * Forward pass alone: `logp` and `entropy` [R] at `rows`; with `withFeatures` also `features` [R, D], which a value head
 * reads. Beside the trunk's inputs it takes `targets` [R].
 */
export function buildScoreGraph(config: ModelConfig, withFeatures: boolean): Uint8Array {
  const tape = new Tape();
  const g = tape.graph;
  const { features, logProbabilities } = buildHead(tape, buildTrunk(tape, config));
  g.input("targets", "int64", ["R"]);
  const entropy = entropies(g, g.operator("Exp", [logProbabilities]), logProbabilities);
  g.output(targetLogProbabilities(g, logProbabilities), "logp", "float32", ["R"]);
  g.output(g.operator("Reshape", [entropy, g.integers([-1])]), "entropy", "float32", ["R"]);
  if (withFeatures) g.output(features, "features", "float32", ["R", config.hidden_size]);
  return g.build();
}
