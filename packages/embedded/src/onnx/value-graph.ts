import type { Value } from "#onnx/graph-builder.ts";
import { Tape } from "#onnx/tape.ts";

/** Hidden units of the value head. */
const WIDTH = 64;

/** Parameters of the value head over features of `size` numbers and a constant 1, which stands for the biases. */
export function valueShapes(size: number): { name: string; shape: number[] }[] {
  return [
    { name: "value_in", shape: [size + 1, WIDTH] },
    { name: "value_out", shape: [WIDTH, 1] },
  ];
}

/** Values [R] of features `features` [R, size + 1]. */
function buildValues(tape: Tape, size: number): Value {
  const g = tape.graph;
  for (const { name, shape } of valueShapes(size)) g.input(name, "float32", shape);
  g.input("features", "float32", ["R", size + 1]);
  const hidden = tape.relu(tape.linear("features", "value_in"));
  return tape.linear(hidden, "value_out");
}

/** Forward pass of the value head: `values` [R]. */
export function buildValueGraph(size: number): Uint8Array {
  const tape = new Tape();
  const g = tape.graph;
  const values = buildValues(tape, size);
  g.output(g.operator("Reshape", [values, g.integers([-1])]), "values", "float32", ["R"]);
  return g.build();
}

/**
 * Forward and backward pass of verl's value loss: ½ · mean of max((v − R)², (clip(v) − R)²), where clip(v) keeps v within
 * `cliprange` of the value before the update.
 *
 * Inputs beside the head's: `old`, `returns` [R], `cliprange` and `weight` (1 over the rows that the mean is over).
 * Outputs: `values`, `losses` (before ½ and mean), `clipped` [R] (1 where the clip sets the loss) and `d.<parameter>`.
 */
export function buildValueTrainGraph(size: number): Uint8Array {
  const tape = new Tape();
  const g = tape.graph;
  const column = buildValues(tape, size);
  const values = g.operator("Reshape", [column, g.integers([-1])]);
  for (const name of ["old", "returns"]) g.input(name, "float32", ["R"]);
  for (const name of ["cliprange", "weight"]) g.input(name, "float32", []);
  const low = g.operator("Sub", ["old", "cliprange"]);
  const high = g.operator("Add", ["old", "cliprange"]);
  const bounded = g.operator("Max", [g.operator("Min", [values, high]), low]);
  const off = g.operator("Sub", [values, "returns"]);
  const offBounded = g.operator("Sub", [bounded, "returns"]);
  const free = g.operator("Mul", [off, off]);
  const held = g.operator("Mul", [offBounded, offBounded]);
  const isClipped = g.operator("Greater", [held, free]);
  // Where the bounded value sets the loss, the value itself no longer does.
  const pull = g.operator("Where", [isClipped, tape.zero(), off]);
  const gradient = g.operator("Mul", [pull, "weight"]);
  tape.backward(column, g.operator("Reshape", [gradient, g.integers([-1, 1])]));
  const clipped = g.operator("Where", [isClipped, g.scalar(1), tape.zero()]);
  g.output(values, "values", "float32", ["R"]);
  g.output(g.operator("Max", [free, held]), "losses", "float32", ["R"]);
  g.output(clipped, "clipped", "float32", ["R"]);
  for (const { name, shape } of valueShapes(size))
    g.output(tape.gradient(name), `d.${name}`, "float32", shape);
  return g.build();
}
