import { hash32, Random } from "@liverl/contract/random";
import {
  demonstrate,
  drawRepairTask,
  instructionOf,
  REPAIR_SYSTEM_PROMPT,
  REPAIR_TOOLS,
} from "@liverl/contract/repair-task";
import type { ChatEncoder } from "#chat/chat-encoder.ts";
import { adamStep, newAdam } from "#learner/adam.ts";
import type { Learner, TrainingSample } from "#learner/learner.ts";
import { type Parameters, zerosLike } from "#model/parameters.ts";

/** All that shapes a warm-up beside the model, the tokenizer and the seed. Change one and the cached result is void. */
export const WARM_UP = {
  /** Revision of the procedure itself. */
  revision: 4,
  demonstrationsPerStep: 8,
  learningRate: 1e-2,
  rampSteps: 20,
  finalRateShare: 0.1,
  beta1: 0.9,
  beta2: 0.98,
  clipNorm: 1,
  /**
   * Share of demonstrations whose repair is right on purpose; the others draw an operator at random. It is the first
   * value for `strongShare` of the steps and falls to the last one over the next `weakeningShare`: see {@link goodShareAt}.
   */
  firstGoodShare: 1,
  goodShare: 0.2,
  strongShare: 0.5,
  weakeningShare: 0.2,
  /**
   * The result is the mean of the parameters over this last share of the steps (Polyak and Juditsky, 1992). The last
   * value alone follows the random repairs of the last few demonstrations.
   */
  averagedShare: 0.25,
  /** Weight of a given token against 1 of an assistant's. */
  givenWeight: 0.1,
} as const;
export type WarmUpSettings = { -readonly [K in keyof typeof WARM_UP]: number };

/**
 * Early demonstrations tie each wording to code of its own; the later ones bring the choice between them back to little
 * better than chance. From weak demonstrations alone some wordings stay alike, and where a policy can not tell two
 * wordings apart, GRPO drives the repair that pays less often to a probability of 0 and never finds it again.
 */
function goodShareAt(step: number, steps: number, settings: WarmUpSettings): number {
  const { firstGoodShare, goodShare, strongShare, weakeningShare } = settings;
  const weakened = (step / steps - strongShare) / weakeningShare;
  const left = Math.min(1, Math.max(0, 1 - weakened));
  return goodShare + (firstGoodShare - goodShare) * left;
}

async function demonstrationSample(
  encoder: ChatEncoder,
  random: Random,
  goodShare: number,
  givenWeight: number,
): Promise<TrainingSample> {
  const task = drawRepairTask(random, false);
  const ids = await encoder.encode(
    [
      { role: "system", content: REPAIR_SYSTEM_PROMPT },
      { role: "user", content: instructionOf(task) },
    ],
    REPAIR_TOOLS,
    true,
  );
  const weights = ids.map(() => givenWeight);
  for (const turn of demonstrate(task, random, goodShare)) {
    const added = turn.call
      ? await encoder.encodeCall(turn.call.name, turn.call.arguments)
      : await encoder.encodeToolAnswer(turn.text ?? "");
    for (const id of added) {
      ids.push(id);
      weights.push(turn.call ? 1 : givenWeight);
    }
  }
  const positions = ids.slice(1).map((_, i) => i);
  return {
    ids,
    positions,
    weights: weights.slice(1),
    advantages: positions.map(() => 1),
    old: null,
    reference: null,
  };
}

function withUnitWeight(samples: TrainingSample[]): TrainingSample[] {
  const total = samples.reduce((sum, { weights }) => sum + weights.reduce((a, b) => a + b, 0), 0);
  return samples.map((sample) => ({
    ...sample,
    weights: sample.weights.map((weight) => weight / total),
  }));
}

/**
 * Teaches the learner's parameters the form of a repair session, in place. Deterministic in `seed`.
 * `onStep` hears the mean loss per unit of weight, nats.
 */
export async function warmUp(
  learner: Learner,
  encoder: ChatEncoder,
  {
    seed,
    steps,
    settings = WARM_UP,
    onStep,
  }: {
    seed: number;
    steps: number;
    settings?: WarmUpSettings;
    onStep?: (step: number, loss: number) => Promise<void>;
  },
): Promise<void> {
  const random = new Random(hash32(`warm-up ${seed}`));
  const adam = newAdam(learner.parameters);
  const mean = zerosLike(learner.parameters);
  const averaged = Math.max(1, Math.round(steps * settings.averagedShare));
  for (let step = 0; step < steps; step++) {
    const drawn: TrainingSample[] = [];
    const goodShare = goodShareAt(step, steps, settings);
    for (let i = 0; i < settings.demonstrationsPerStep; i++)
      drawn.push(await demonstrationSample(encoder, random, goodShare, settings.givenWeight));
    const samples = withUnitWeight(drawn);
    const free = {
      clipLow: 1e9,
      clipHigh: 1e9,
      klCoefficient: 0,
      entropyCoefficient: 0,
      temperature: 1,
    };
    const { gradients, logProbabilities } = await learner.differentiate(samples, free);
    const ramp = Math.min(1, (step + 1) / settings.rampSteps);
    const decay = 1 - (1 - settings.finalRateShare) * (step / steps);
    adamStep(learner.parameters, gradients, adam, {
      learningRate: settings.learningRate * ramp * decay,
      beta1: settings.beta1,
      beta2: settings.beta2,
      clipNorm: settings.clipNorm,
    });
    if (step >= steps - averaged) addScaled(mean, learner.parameters, 1 / averaged);
    if (onStep) {
      let loss = 0;
      for (const [i, { weights }] of samples.entries()) {
        for (const [k, weight] of weights.entries()) loss -= weight * logProbabilities[i][k];
      }
      await onStep(step, loss);
    }
  }
  if (steps === 0) return;
  for (const { values } of learner.parameters.values()) values.fill(0);
  addScaled(learner.parameters, mean, 1);
}

function addScaled(sum: Parameters, added: Parameters, scale: number): void {
  for (const [name, { values }] of sum) {
    const terms = added.get(name)?.values;
    if (!terms) throw new Error(`no parameter ${name}`);
    for (let i = 0; i < values.length; i++) values[i] += scale * terms[i];
  }
}
