import { type AdamState, adamStep } from "#learner/adam.ts";
import type { GradientResult, Learner, Scores, TrainingSample } from "#learner/learner.ts";
import type { RolloutSample } from "#learner/rollout-samples.ts";
import type { LossMode } from "#onnx/train-graph.ts";

export interface UpdateSettings {
  learningRate: number;
  clipNorm: number;
  epochs: number;
  clipLow: number;
  clipHigh: number;
  klCoefficient: number;
  entropyCoefficient: number;
  temperature: number;
}

/** Token means over all samples, where those that were left out count as 0; averaged over the epochs. */
export interface UpdateMetrics {
  pgLoss: number;
  loss: number;
  clipFraction: number;
  clipFractionLower: number;
  /** Mean of old − new log-prob, nats. */
  kl: number;
  klLoss: number;
  entropy: number;
  gradientNorm: number;
  shapes: GradientResult["shapes"];
  /** Of the last epoch, one a sample; null for those that were left out. */
  tokens: (TokenOutcome | null)[];
}

/** How the loss took the tokens of a sample, along its positions. */
export interface TokenOutcome {
  /** exp(new − old log-prob); with gspo that of the sequence, the same for each token. */
  ratios: number[];
  /** 1 where the gradient flowed, 0 where the clip cut it. */
  active: Float32Array;
}

type Epoch = Omit<UpdateMetrics, "tokens"> & { outcomes: TokenOutcome[] };

/** Adam's second moment forgets quickly: the gradient of a policy changes within a few steps. */
const BETA1 = 0.9;
const BETA2 = 0.95;

/**
 * One step of the clipped policy gradient on all samples, `epochs` times. `old` holds the log-probs that the ratio compares
 * with: the trainer's own before the update, or those of the engines that sampled. Samples that no term of the loss touches are left out of the work, not of the mean: as verl's token-mean,
 * it is over every sampled token of the batch. Changes parameters and `adam` in place.
 */
export async function updatePolicy(
  learner: Learner,
  adam: AdamState,
  samples: readonly RolloutSample[],
  old: Pick<Scores, "logProbabilities">,
  reference: Scores | null,
  settings: UpdateSettings,
): Promise<UpdateMetrics | null> {
  const isTouched = ({ advantages }: RolloutSample) =>
    advantages.some((advantage) => advantage !== 0) ||
    reference !== null ||
    settings.entropyCoefficient > 0;
  const chosen = samples.map((_, i) => i).filter((i) => isTouched(samples[i]));
  if (chosen.length === 0) return null;
  const weightOf = tokenWeights(samples, learner.options.lossMode);
  const training = chosen.map((i): TrainingSample => {
    const { ids, positions, advantages } = samples[i];
    return {
      ids,
      positions,
      weights: positions.map(() => weightOf(samples[i])),
      advantages,
      old: [...old.logProbabilities[i]],
      reference: reference ? [...reference.logProbabilities[i]] : null,
    };
  });
  const rate = {
    learningRate: settings.learningRate,
    beta1: BETA1,
    beta2: BETA2,
    clipNorm: settings.clipNorm,
  };
  const epochs: Epoch[] = [];
  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    const result = await learner.differentiate(training, settings);
    const gradientNorm = adamStep(learner.parameters, result.gradients, adam, rate);
    epochs.push(measure(training, result, learner.options.lossMode, settings, gradientNorm));
  }
  const outcomes = epochs.at(-1)?.outcomes ?? [];
  const tokens = samples.map((_, i) => outcomes[chosen.indexOf(i)] ?? null);
  return { ...average(epochs), tokens };
}

/** The share of one token of a sample in the loss: token-mean; with gspo seq-mean-token-mean, as verl has it. */
function tokenWeights(
  samples: readonly RolloutSample[],
  mode: LossMode,
): (sample: RolloutSample) => number {
  if (mode === "gspo") return ({ positions }) => 1 / (samples.length * positions.length);
  const tokens = samples.reduce((sum, { positions }) => sum + positions.length, 0);
  return () => 1 / tokens;
}

function measure(
  training: readonly TrainingSample[],
  result: GradientResult,
  mode: LossMode,
  settings: UpdateSettings,
  gradientNorm: number,
): Epoch {
  const sums = { pgLoss: 0, clipFraction: 0, kl: 0, klLoss: 0, entropy: 0 };
  const outcomes = training.map((sample, i): TokenOutcome => {
    const active = result.active[i];
    const { differences, ratios } = compare(sample, result.logProbabilities[i], mode);
    sample.weights.forEach((weight, k) => {
      const ratio = ratios[k];
      const bounded = Math.min(Math.max(ratio, 1 - settings.clipLow), 1 + settings.clipHigh);
      const advantage = sample.advantages[k];
      sums.pgLoss -= weight * Math.min(ratio * advantage, bounded * advantage);
      sums.clipFraction += weight * (1 - active[k]);
      sums.kl -= weight * differences[k];
      if (sample.reference) sums.klLoss += weight * result.k3[i][k];
      sums.entropy += weight * result.entropies[i][k];
    });
    return { ratios, active };
  });
  const loss =
    sums.pgLoss + settings.klCoefficient * sums.klLoss - settings.entropyCoefficient * sums.entropy;
  // There is no dual clip in this loss, so its lower bound never acts.
  return { ...sums, loss, clipFractionLower: 0, gradientNorm, shapes: result.shapes, outcomes };
}

/** New − old log-probs of a sample's tokens, and their ratios. */
function compare({ weights, old }: TrainingSample, logProbabilities: Float32Array, mode: LossMode) {
  const differences = weights.map((_, k) => {
    const logp = logProbabilities[k];
    return logp - (old?.[k] ?? logp);
  });
  const ofSequence = differences.reduce((a, b) => a + b, 0) / differences.length;
  const ratios = differences.map((difference) =>
    Math.exp(mode === "gspo" ? ofSequence : difference),
  );
  return { differences, ratios };
}

function average(epochs: readonly Epoch[]): Omit<UpdateMetrics, "tokens"> {
  const mean = (read: (epoch: Epoch) => number) =>
    epochs.reduce((sum, epoch) => sum + read(epoch), 0) / epochs.length;
  return {
    pgLoss: mean((epoch) => epoch.pgLoss),
    loss: mean((epoch) => epoch.loss),
    clipFraction: mean((epoch) => epoch.clipFraction),
    clipFractionLower: mean((epoch) => epoch.clipFractionLower),
    kl: mean((epoch) => epoch.kl),
    klLoss: mean((epoch) => epoch.klLoss),
    entropy: mean((epoch) => epoch.entropy),
    gradientNorm: mean((epoch) => epoch.gradientNorm),
    shapes: epochs.flatMap((epoch) => epoch.shapes),
  };
}
