import type { InferenceSession } from "onnxruntime-node";
import { type Batch, packBatch, planBatches, type Sample } from "#learner/pack-batch.ts";
import type { ModelConfig } from "#model/architecture.ts";
import { type Parameters, zerosLike } from "#model/parameters.ts";
import { floatOutput, floats, longs, openSession, parameterFeeds } from "#onnx/open-session.ts";
import { buildScoreGraph } from "#onnx/score-graph.ts";
import { buildTrainGraph, type LossMode } from "#onnx/train-graph.ts";

/** All lists run along `positions`. */
export interface TrainingSample extends Sample {
  weights: readonly number[];
  advantages: readonly number[];
  /** Log-probs of the policy that the ratio compares with; null for a supervised step. */
  old: readonly number[] | null;
  /** Log-probs of the reference policy; null when the loss has no such term. */
  reference: readonly number[] | null;
}

export interface LossSettings {
  clipLow: number;
  clipHigh: number;
  klCoefficient: number;
  entropyCoefficient: number;
  temperature: number;
}

/** Per sample, along its positions. */
export interface Scores {
  logProbabilities: Float32Array[];
  entropies: Float32Array[];
}

export interface LearnerOptions {
  lossMode: LossMode;
  /** Whether a value head will read the features of what is scored. */
  withFeatures: boolean;
}

/** `features`: per sample [positions, D], flat; empty lists where the learner was opened without. */
export interface FeatureScores extends Scores {
  features: Float32Array[];
}

export interface GradientResult extends Scores {
  gradients: Parameters;
  /** Per sample: 1 where the gradient flows, 0 where the clip cut it. */
  active: Float32Array[];
  k3: Float32Array[];
  /** Positions that were computed, padding included: what the FLOPs are counted from. */
  shapes: { sequences: number; length: number; rows: number }[];
}

const BATCH_SIZE = 16;

/** Scores and differentiates sequences under one set of parameters, which it reads in place. */
export class Learner {
  readonly #embeddedSize: number;
  private constructor(
    readonly parameters: Parameters,
    readonly options: LearnerOptions,
    config: ModelConfig,
    readonly trainSession: InferenceSession,
    readonly scoreSession: InferenceSession,
  ) {
    this.#embeddedSize = config.hidden_size;
  }

  static async open(
    config: ModelConfig,
    parameters: Parameters,
    threads: number,
    options: LearnerOptions = { lossMode: "vanilla", withFeatures: false },
  ): Promise<Learner> {
    const train = await openSession(buildTrainGraph(config, options.lossMode), threads);
    const score = await openSession(buildScoreGraph(config, options.withFeatures), threads);
    return new Learner(parameters, options, config, train, score);
  }

  async score(
    samples: readonly Sample[],
    temperature: number,
    parameters = this.parameters,
  ): Promise<FeatureScores> {
    const scores: FeatureScores = { logProbabilities: [], entropies: [], features: [] };
    const feeds = {
      ...parameterFeeds(parameters),
      inverseTemperature: floats(Float32Array.of(1 / temperature), []),
    };
    for (const members of planBatches(samples, BATCH_SIZE)) {
      const batch = packBatch(samples, members);
      const outputs = await this.scoreSession.run({ ...feeds, ...batch.feeds });
      share(samples, batch, floatOutput(outputs, "logp"), scores.logProbabilities);
      share(samples, batch, floatOutput(outputs, "entropy"), scores.entropies);
      if (this.options.withFeatures)
        share(
          samples,
          batch,
          floatOutput(outputs, "features"),
          scores.features,
          this.#embeddedSize,
        );
    }
    return scores;
  }

  async differentiate(
    samples: readonly TrainingSample[],
    settings: LossSettings,
  ): Promise<GradientResult> {
    const result: GradientResult = {
      gradients: zerosLike(this.parameters),
      logProbabilities: [],
      entropies: [],
      active: [],
      k3: [],
      shapes: [],
    };
    const { clipLow, clipHigh, klCoefficient, entropyCoefficient } = settings;
    const feeds = {
      ...parameterFeeds(this.parameters),
      inverseTemperature: floats(Float32Array.of(1 / settings.temperature), []),
      settings: floats(Float32Array.of(clipLow, clipHigh, klCoefficient, entropyCoefficient), [4]),
    };
    for (const members of planBatches(samples, BATCH_SIZE)) {
      const batch = packBatch(samples, members);
      const outputs = await this.trainSession.run({
        ...feeds,
        ...batch.feeds,
        ...lossFeeds(samples, members),
        ...(this.options.lossMode === "gspo" && sequenceFeeds(samples, members)),
      });
      this.#addGradients(result.gradients, batch, outputs);
      const rows = share(samples, batch, floatOutput(outputs, "logp"), result.logProbabilities);
      share(samples, batch, floatOutput(outputs, "entropy"), result.entropies);
      share(samples, batch, floatOutput(outputs, "active"), result.active);
      share(samples, batch, floatOutput(outputs, "k3"), result.k3);
      result.shapes.push({ sequences: members.length, length: batch.length, rows });
    }
    return result;
  }

  #addGradients(
    gradients: Parameters,
    batch: Batch,
    outputs: InferenceSession.OnnxValueMapType,
  ): void {
    for (const [name, { values }] of gradients) {
      if (name === "embed_tokens")
        scatter(values, batch.ids, floatOutput(outputs, "d.embedded"), this.#embeddedSize);
      else if (name === "embed_previous")
        scatter(values, batch.previous, floatOutput(outputs, "d.embedded"), this.#embeddedSize);
      else {
        const addend = floatOutput(outputs, `d.${name}`);
        for (let i = 0; i < values.length; i++) values[i] += addend[i];
      }
    }
  }
}

function lossFeeds(samples: readonly TrainingSample[], members: readonly number[]) {
  const column = (read: (sample: TrainingSample) => readonly number[]) => {
    const values = members.flatMap((index) => read(samples[index]));
    return floats(Float32Array.from(values), [values.length]);
  };
  const none = (sample: TrainingSample) => sample.positions.map(() => Number.NaN);
  const zeros = (sample: TrainingSample) => sample.positions.map(() => 0);
  return {
    weights: column((sample) => sample.weights),
    advantages: column((sample) => sample.advantages),
    old: column((sample) => sample.old ?? none(sample)),
    reference: column((sample) => sample.reference ?? zeros(sample)),
  };
}

/** Which rows of the batch are one sequence: see {@link buildTrainGraph}. */
function sequenceFeeds(samples: readonly TrainingSample[], members: readonly number[]) {
  const lengths = members.map((index) => samples[index].positions.length);
  const rows = lengths.reduce((a, b) => a + b, 0);
  const mean = new Float32Array(members.length * rows);
  const sequences = new BigInt64Array(rows);
  let at = 0;
  lengths.forEach((length, sequence) => {
    mean.fill(1 / length, sequence * rows + at, sequence * rows + at + length);
    sequences.fill(BigInt(sequence), at, at + length);
    at += length;
  });
  return {
    sequenceMean: floats(mean, [members.length, rows]),
    sequences: longs(sequences, [rows]),
  };
}

/** Cuts a batch's rows [R, width] into one list per sample; returns R. */
function share(
  samples: readonly Sample[],
  batch: Batch,
  rows: Float32Array,
  into: Float32Array[],
  width = 1,
): number {
  let at = 0;
  for (const index of batch.members) {
    const count = samples[index].positions.length;
    into[index] = rows.slice(at * width, (at + count) * width);
    at += count;
  }
  return at;
}

/** Adds row i of `gradient` [N, D] to row ids[i] of `table` [V, D]. */
function scatter(
  table: Float32Array,
  ids: BigInt64Array,
  gradient: Float32Array,
  width: number,
): void {
  for (let row = 0; row < ids.length; row++) {
    const to = Number(ids[row]) * width;
    const from = row * width;
    for (let i = 0; i < width; i++) table[to + i] += gradient[from + i];
  }
}
