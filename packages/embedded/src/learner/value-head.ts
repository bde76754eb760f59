import { Random } from "@liverl/contract/random";
import type { InferenceSession } from "onnxruntime-node";
import { type AdamState, adamStep, newAdam } from "#learner/adam.ts";
import { initialTensor, type Parameters } from "#model/parameters.ts";
import { floatOutput, floats, openSession, parameterFeeds } from "#onnx/open-session.ts";
import { buildValueGraph, buildValueTrainGraph, valueShapes } from "#onnx/value-graph.ts";

/** The critic's share of a trainer's state. */
export interface CriticState {
  parameters: Parameters;
  adam: AdamState;
}

export interface CriticSettings {
  learningRate: number;
  clipNorm: number;
  epochs: number;
  cliprangeValue: number;
}

/** Token means, averaged over the epochs: what verl logs of a critic's update. */
export interface CriticMetrics {
  vfLoss: number;
  vfClipFraction: number;
  vpredMean: number;
  gradientNorm: number;
}

const BETA1 = 0.9;
const BETA2 = 0.999;

/** A head that says 0 everywhere until it has learnt. Deterministic in `seed`. */
export function newCritic(size: number, seed: number): CriticState {
  const random = new Random(seed);
  const parameters: Parameters = new Map(
    valueShapes(size).map(({ name, shape }) => [
      name,
      initialTensor(shape, name === "value_out" ? 0 : 1 / Math.sqrt(size), random),
    ]),
  );
  return { parameters, adam: newAdam(parameters) };
}

/**
 * The expected return of a position, by a small network of its own over what the policy's trunk says there. No gradient
 * flows back into the trunk: the policy learns from its own loss alone.
 */
export class ValueHead {
  private constructor(
    readonly state: CriticState,
    readonly size: number,
    readonly scoreSession: InferenceSession,
    readonly trainSession: InferenceSession,
  ) {}

  static async open(state: CriticState, size: number, threads: number): Promise<ValueHead> {
    const score = await openSession(buildValueGraph(size), threads);
    const train = await openSession(buildValueTrainGraph(size), threads);
    return new ValueHead(state, size, score, train);
  }

  /** Values per sample, along its positions. `features`: per sample [positions, size], flat. */
  async values(features: readonly Float32Array[]): Promise<number[][]> {
    const rows = this.#rows(features);
    if (rows === 0) return features.map(() => []);
    const outputs = await this.scoreSession.run({
      ...parameterFeeds(this.state.parameters),
      features: this.#pack(features, rows),
    });
    const values = floatOutput(outputs, "values");
    let at = 0;
    return features.map(({ length }) => {
      const count = length / this.size;
      at += count;
      return [...values.subarray(at - count, at)];
    });
  }

  /** `epochs` steps of Adam on all rows at once. `old` and `returns` run along the positions. Changes the state in place. */
  async update(
    features: readonly Float32Array[],
    { old, returns }: { old: readonly number[]; returns: readonly number[] },
    settings: CriticSettings,
  ): Promise<CriticMetrics | null> {
    const rows = this.#rows(features);
    if (rows === 0) return null;
    const { parameters, adam } = this.state;
    const feeds = {
      features: this.#pack(features, rows),
      old: floats(Float32Array.from(old), [rows]),
      returns: floats(Float32Array.from(returns), [rows]),
      cliprange: floats(Float32Array.of(settings.cliprangeValue), []),
      weight: floats(Float32Array.of(1 / rows), []),
    };
    const sums = { vfLoss: 0, vfClipFraction: 0, vpredMean: 0, gradientNorm: 0 };
    for (let epoch = 0; epoch < settings.epochs; epoch++) {
      const outputs = await this.trainSession.run({ ...parameterFeeds(parameters), ...feeds });
      const mean = (name: string) =>
        floatOutput(outputs, name).reduce((sum, value) => sum + value, 0) / rows;
      const gradients: Parameters = new Map(
        [...parameters].map(([name, { shape }]) => [
          name,
          { values: floatOutput(outputs, `d.${name}`), shape },
        ]),
      );
      sums.vfLoss += 0.5 * mean("losses");
      sums.vfClipFraction += mean("clipped");
      sums.vpredMean += mean("values");
      sums.gradientNorm += adamStep(parameters, gradients, adam, {
        learningRate: settings.learningRate,
        clipNorm: settings.clipNorm,
        beta1: BETA1,
        beta2: BETA2,
      });
    }
    return {
      vfLoss: sums.vfLoss / settings.epochs,
      vfClipFraction: sums.vfClipFraction / settings.epochs,
      vpredMean: sums.vpredMean / settings.epochs,
      gradientNorm: sums.gradientNorm / settings.epochs,
    };
  }

  #rows(features: readonly Float32Array[]): number {
    return features.reduce((sum, { length }) => sum + length, 0) / this.size;
  }

  /** [rows, size + 1]: the features and a 1. */
  #pack(features: readonly Float32Array[], rows: number) {
    const packed = new Float32Array(rows * (this.size + 1)).fill(1);
    let row = 0;
    for (const values of features)
      for (let from = 0; from < values.length; from += this.size, row++)
        packed.set(values.subarray(from, from + this.size), row * (this.size + 1));
    return floats(packed, [rows, this.size + 1]);
  }
}
