import { parameterShapes } from "@liverl/contract/embedded-policy";
import type { ModelConfig } from "#model/architecture.ts";
import type { GraphBuilder, Value } from "#onnx/graph-builder.ts";
import { entropies, targetLogProbabilities } from "#onnx/score-graph.ts";
import { Tape } from "#onnx/tape.ts";
import { buildHead, buildTrunk, EMBEDDINGS } from "#onnx/trunk.ts";

/** Names of the scalars in the input `settings`, in order. */
export const LOSS_SETTINGS = [
  "clipLow",
  "clipHigh",
  "klCoefficient",
  "entropyCoefficient",
] as const;

/** verl's `policy_loss.loss_mode`: the ratio of each token, or of its whole sequence. */
export type LossMode = "vanilla" | "gspo";

/**
 * Forward and backward pass of the clipped policy loss in one graph. With r = exp(logp − old) the loss is
 * Σ weight · (−min(r·A, clip(r)·A) + kl·k3(reference ‖ policy) − entropy·H).
 * A supervised step is the same graph with `old` NaN (read as logp, so r = 1) and A = 1.
 *
 * With `gspo` every token has the ratio of its sequence, s = exp(mean over the sequence of logp − old), and the gradient
 * s · A · d logp (GSPO-token, arXiv 2507.18071, eq. 15, which is GSPO where the tokens of a sequence share A). Two
 * more inputs say which rows are a sequence: `sequenceMean` [S, R], 1/length in the rows of each, and `sequences` [R].
 *
 * Inputs beside the trunk's and the head's: `targets` [R], `weights`, `advantages`, `old`, `reference` [R], `settings` [4].
 * Outputs: `logp`, `entropy`, `k3`, `active` [R] (0 where the clip cut the gradient) and `d.<parameter>`;
 * for the embeddings `d.embedded` [B·T, D].
 */
export function buildTrainGraph(config: ModelConfig, mode: LossMode): Uint8Array {
  const tape = new Tape();
  const g = tape.graph;
  const trunk = buildTrunk(tape, config);
  const { logits, logProbabilities } = buildHead(tape, trunk);
  g.input("targets", "int64", ["R"]);
  for (const name of ["weights", "advantages", "old", "reference"]) g.input(name, "float32", ["R"]);
  g.input("settings", "float32", [LOSS_SETTINGS.length]);
  const column = g.integers([-1, 1]);
  const flat = g.integers([-1]);
  const one = g.scalar(1);
  const parts = g.operators(
    "Split",
    ["settings", g.integers(LOSS_SETTINGS.map(() => 1))],
    LOSS_SETTINGS.length,
    { axis: 0 },
  );
  const [clipLow = "", clipHigh = "", klCoefficient = "", entropyCoefficient = ""] = parts;

  const logp = targetLogProbabilities(g, logProbabilities);
  const old = g.operator("Where", [g.operator("IsNaN", ["old"]), logp, "old"]);
  const logRatio = g.operator("Sub", [logp, old]);
  const ratio = g.operator("Exp", [mode === "gspo" ? meanOfSequence(g, logRatio) : logRatio]);
  const low = g.operator("Sub", [one, clipLow]);
  const high = g.operator("Add", [one, clipHigh]);
  const free = g.operator("Mul", [ratio, "advantages"]);
  const clipped = g.operator("Mul", [
    g.operator("Max", [g.operator("Min", [ratio, high]), low]),
    "advantages",
  ]);
  const active = g.operator("Where", [
    g.operator("LessOrEqual", [free, clipped]),
    one,
    tape.zero(),
  ]);
  // k3 = e^δ − δ − 1 with δ = reference − logp, so d k3 / d logp = 1 − e^δ.
  const delta = g.operator("Sub", ["reference", logp]);
  const expDelta = g.operator("Exp", [delta]);
  const k3 = g.operator("Sub", [g.operator("Sub", [expDelta, delta]), one]);
  const klPull = g.operator("Mul", [klCoefficient, g.operator("Sub", [one, expDelta])]);
  const policyPull = g.operator("Mul", [free, active]);
  const perLogp = g.operator("Mul", ["weights", g.operator("Sub", [klPull, policyPull])]);

  const probabilities = g.operator("Exp", [logProbabilities]);
  const entropy = entropies(g, probabilities, logProbabilities);
  const depth = g.constant("int64", [], BigInt64Array.of(BigInt(config.vocab_size)));
  const oneHot = g.operator(
    "OneHot",
    ["targets", depth, g.constant("float32", [2], Float32Array.of(0, 1))],
    { axis: -1 },
  );
  const ofTarget = g.operator("Mul", [
    g.operator("Sub", [oneHot, probabilities]),
    g.operator("Reshape", [perLogp, column]),
  ]);
  // d(−H) / d logit = p · (log p + H).
  const perEntropy = g.operator("Mul", [
    g.operator("Reshape", ["weights", column]),
    entropyCoefficient,
  ]);
  const ofEntropy = g.operator("Mul", [
    g.operator("Mul", [probabilities, g.operator("Add", [logProbabilities, entropy])]),
    perEntropy,
  ]);
  tape.backward(logits, g.operator("Add", [ofTarget, ofEntropy]));

  g.output(logp, "logp", "float32", ["R"]);
  g.output(g.operator("Reshape", [entropy, flat]), "entropy", "float32", ["R"]);
  g.output(k3, "k3", "float32", ["R"]);
  g.output(active, "active", "float32", ["R"]);
  g.output(tape.gradient(trunk.embedded), "d.embedded", "float32", ["N", config.hidden_size]);
  const embeddings: readonly string[] = EMBEDDINGS;
  for (const { name, shape } of parameterShapes(config)) {
    if (!embeddings.includes(name)) g.output(tape.gradient(name), `d.${name}`, "float32", shape);
  }
  return g.build();
}

/** Each row's value becomes the mean over the rows of its sequence. */
function meanOfSequence(g: GraphBuilder, values: Value): Value {
  g.input("sequenceMean", "float32", ["S", "R"]);
  g.input("sequences", "int64", ["R"]);
  const column = g.operator("Reshape", [values, g.integers([-1, 1])]);
  const means = g.operator("MatMul", ["sequenceMean", column]);
  return g.operator("Gather", [g.operator("Reshape", [means, g.integers([-1])]), "sequences"], {
    axis: 0,
  });
}
