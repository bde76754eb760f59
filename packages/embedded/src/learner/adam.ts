import { type Parameters, zerosLike } from "#model/parameters.ts";

export interface AdamState {
  /** Updates made so far. */
  updates: number;
  mean: Parameters;
  square: Parameters;
}

export interface AdamSettings {
  learningRate: number;
  beta1: number;
  beta2: number;
  /** Gradients are scaled down to this Euclidean norm. */
  clipNorm: number;
}

const EPSILON = 1e-8;

export function newAdam(parameters: Parameters): AdamState {
  return { updates: 0, mean: zerosLike(parameters), square: zerosLike(parameters) };
}

/** Changes `parameters` and `state` in place; returns the gradient's norm before clipping. */
export function adamStep(
  parameters: Parameters,
  gradients: Parameters,
  state: AdamState,
  settings: AdamSettings,
): number {
  let sumOfSquares = 0;
  for (const { values } of gradients.values())
    for (const value of values) sumOfSquares += value * value;
  const norm = Math.sqrt(sumOfSquares);
  if (!Number.isFinite(norm)) throw new Error("the gradient is not finite");
  const shrink = norm > settings.clipNorm ? settings.clipNorm / norm : 1;
  state.updates++;
  const { beta1, beta2, learningRate } = settings;
  const correct1 = 1 - beta1 ** state.updates;
  const correct2 = 1 - beta2 ** state.updates;
  for (const [name, { values }] of parameters) {
    const gradient = gradients.get(name)?.values;
    const mean = state.mean.get(name)?.values;
    const square = state.square.get(name)?.values;
    if (!gradient || !mean || !square) throw new Error(`no gradient or state for ${name}`);
    for (let i = 0; i < values.length; i++) {
      const g = gradient[i] * shrink;
      mean[i] = beta1 * mean[i] + (1 - beta1) * g;
      square[i] = beta2 * square[i] + (1 - beta2) * g * g;
      values[i] -=
        (learningRate * (mean[i] / correct1)) / (Math.sqrt(square[i] / correct2) + EPSILON);
    }
  }
  return norm;
}
