import { InferenceSession, Tensor as OrtTensor, type Tensor } from "onnxruntime-node";
import type { Parameters } from "#model/parameters.ts";

export type Feeds = Record<string, Tensor>;

/** A compiled graph. The runtime computes on the calling thread and `threads − 1` of its own. */
export async function openSession(model: Uint8Array, threads: number): Promise<InferenceSession> {
  return InferenceSession.create(model, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    // Errors only: constants that a fused operator swallowed are warned of otherwise.
    logSeverityLevel: 3,
  });
}

export function floats(values: Float32Array, shape: readonly number[]): Tensor {
  return new OrtTensor("float32", values, shape);
}

export function longs(values: BigInt64Array, shape: readonly number[]): Tensor {
  return new OrtTensor("int64", values, shape);
}

/** Tensors over the parameters' own memory: later changes of the values are seen. */
export function parameterFeeds(parameters: Parameters): Feeds {
  return Object.fromEntries(
    [...parameters].map(([name, { values, shape }]) => [name, floats(values, shape)]),
  );
}

/** A float output. Throws when the graph gave something else under that name. */
export function floatOutput(
  outputs: InferenceSession.OnnxValueMapType,
  name: string,
): Float32Array {
  const tensor = outputs[name];
  if (!(tensor?.data instanceof Float32Array)) throw new Error(`output ${name} is not float32`);
  return tensor.data;
}
