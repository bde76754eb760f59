import { GraphBuilder, type Value } from "#onnx/graph-builder.ts";

type Push = (gradient: Value) => void;
const MICROSOFT = "com.microsoft";
export const NORM_EPSILON = 1e-5;

/**
 * Reverse-mode differentiation at graph-building time: each operation emits its forward nodes and remembers how to
 * emit its backward nodes; {@link Tape.backward} then emits them in reverse. The result is one graph with both passes.
 */
export class Tape {
  readonly graph = new GraphBuilder();
  readonly #steps: (() => void)[] = [];
  readonly #gradients = new Map<Value, Value>();
  #zero: Value | null = null;

  zero(): Value {
    this.#zero ??= this.graph.scalar(0);
    return this.#zero;
  }

  /** Adds to the gradient of `value`. */
  accumulate(value: Value, gradient: Value): void {
    const before = this.#gradients.get(value);
    this.#gradients.set(
      value,
      before === undefined ? gradient : this.graph.operator("Add", [before, gradient]),
    );
  }

  /** Registers how the gradient of `output` flows back; returns `output`. */
  record(output: Value, push: Push): Value {
    this.#steps.push(() => {
      const gradient = this.#gradients.get(output);
      if (gradient !== undefined) push(gradient);
    });
    return output;
  }

  /** Starts from d(loss)/d(output) = `gradient` and runs every recorded step in reverse. */
  backward(output: Value, gradient: Value): void {
    this.#gradients.set(output, gradient);
    for (const step of this.#steps.toReversed()) step();
  }

  /** d(loss)/d(value) after {@link backward}. */
  gradient(value: Value): Value {
    const gradient = this.#gradients.get(value);
    if (gradient === undefined) throw new Error(`no gradient reached ${value}`);
    return gradient;
  }

  #gemm(a: Value, b: Value, transA: boolean, transB: boolean): Value {
    return this.graph.operator("Gemm", [a, b], { transA: Number(transA), transB: Number(transB) });
  }

  #batched(a: Value, b: Value, transA: boolean, transB: boolean, alpha: number): Value {
    const attributes = { transA: Number(transA), transB: Number(transB), alpha: { float: alpha } };
    return this.graph.operator("FusedMatMul", [a, b], attributes, MICROSOFT);
  }

  /** x [N, I] times w [I, O], or w [O, I] when `transposed`. */
  linear(x: Value, w: Value, transposed = false): Value {
    return this.record(this.#gemm(x, w, false, transposed), (d) => {
      this.accumulate(x, this.#gemm(d, w, false, !transposed));
      this.accumulate(
        w,
        transposed ? this.#gemm(d, x, true, false) : this.#gemm(x, d, true, false),
      );
    });
  }

  add(a: Value, b: Value): Value {
    return this.record(this.graph.operator("Add", [a, b]), (d) => {
      this.accumulate(a, d);
      this.accumulate(b, d);
    });
  }

  /** x times a scalar that needs no gradient. */
  scale(x: Value, factor: Value): Value {
    return this.record(this.graph.operator("Mul", [x, factor]), (d) =>
      this.accumulate(x, this.graph.operator("Mul", [d, factor])),
    );
  }

  relu(x: Value): Value {
    const y = this.graph.operator("Relu", [x]);
    return this.record(y, (d) => {
      // y is never negative, so its sign is the mask; a comparison and a choice cost the runtime ten times as much.
      this.accumulate(x, this.graph.operator("Mul", [d, this.graph.operator("Sign", [y])]));
    });
  }

  /** Root-mean-square norm of the rows of x [N, D], times `gain` [D]. */
  rmsNorm(x: Value, gain: Value): Value {
    const g = this.graph;
    const attributes = { axis: -1, epsilon: { float: NORM_EPSILON }, stash_type: 1 };
    const [y = "", inverse = ""] = g.operators(
      "SimplifiedLayerNormalization",
      [x, gain],
      2,
      attributes,
    );
    return this.record(y, (d) => {
      const normal = g.operator("Mul", [x, inverse]);
      const inner = g.operator("Mul", [d, gain]);
      const mean = g.operator("ReduceMean", [g.operator("Mul", [inner, normal])], {
        axes: [-1],
        keepdims: 1,
      });
      const across = g.operator("Sub", [inner, g.operator("Mul", [normal, mean])]);
      this.accumulate(x, g.operator("Mul", [inverse, across]));
      const products = g.operator("Mul", [d, normal]);
      this.accumulate(gain, g.operator("ReduceSum", [products, g.integers([0])], { keepdims: 0 }));
    });
  }

  /** `to` and `from` are shape values (int64), so that they may depend on the batch. */
  reshape(x: Value, to: Value, from: Value): Value {
    return this.record(this.graph.operator("Reshape", [x, to]), (d) =>
      this.accumulate(x, this.graph.operator("Reshape", [d, from])),
    );
  }

  transpose(x: Value, order: number[]): Value {
    const back = order.map((_, axis) => order.indexOf(axis));
    return this.record(this.graph.operator("Transpose", [x], { perm: order }), (d) =>
      this.accumulate(x, this.graph.operator("Transpose", [d], { perm: back })),
    );
  }

  /** Takes the first axis of x apart: x [n, …] → n values […]. Every part must receive a gradient. */
  unstack(x: Value, count: number): Value[] {
    const g = this.graph;
    const axis = g.integers([0]);
    const parts = g.operators("Split", [x, g.integers(Array(count).fill(1))], count, { axis: 0 });
    const values = parts.map((part) => g.operator("Squeeze", [part, axis]));
    this.#steps.push(() => {
      const gradients = values.map((value) =>
        g.operator("Unsqueeze", [this.gradient(value), axis]),
      );
      this.accumulate(x, g.operator("Concat", gradients, { axis: 0 }));
    });
    return values;
  }

  /** a [.., M, K] times b [.., K, N], or b [.., N, K] when `transposed`; times `alpha`. */
  matmul(a: Value, b: Value, transposed: boolean, alpha: number): Value {
    return this.record(this.#batched(a, b, false, transposed, alpha), (d) => {
      this.accumulate(a, this.#batched(d, b, false, !transposed, alpha));
      this.accumulate(
        b,
        transposed
          ? this.#batched(d, a, true, false, alpha)
          : this.#batched(a, d, true, false, alpha),
      );
    });
  }

  /** Softmax over the last axis of x + mask. */
  maskedSoftmax(x: Value, mask: Value): Value {
    const g = this.graph;
    const y = g.operator("Softmax", [g.operator("Add", [x, mask])], { axis: -1 });
    return this.record(y, (d) => {
      const weighted = g.operator("Mul", [d, y]);
      const total = g.operator("ReduceSum", [weighted, g.integers([-1])], { keepdims: 1 });
      this.accumulate(x, g.operator("Sub", [weighted, g.operator("Mul", [y, total])]));
    });
  }

  /** Rotary position embedding; its inverse is the rotation by the negative angle. */
  rotary(
    x: Value,
    positions: Value,
    tables: { cos: Value; sin: Value; negativeSin: Value },
  ): Value {
    const rotate = (value: Value, sin: Value) =>
      this.graph.operator(
        "RotaryEmbedding",
        [value, positions, tables.cos, sin],
        { interleaved: 0 },
        MICROSOFT,
      );
    return this.record(rotate(x, tables.sin), (d) =>
      this.accumulate(x, rotate(d, tables.negativeSin)),
    );
  }

  /** Rows of x [N, D] by `rows` [R]: each row at most once. */
  takeRows(x: Value, rows: Value): Value {
    const g = this.graph;
    return this.record(g.operator("Gather", [x, rows], { axis: 0 }), (d) => {
      const blank = g.operator("ConstantOfShape", [g.operator("Shape", [x])]);
      const indices = g.operator("Unsqueeze", [rows, g.integers([1])]);
      this.accumulate(x, g.operator("ScatterND", [blank, indices, d]));
    });
  }
}
