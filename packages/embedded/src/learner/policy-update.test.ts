import { expect, test } from "vitest";
import { newAdam } from "#learner/adam.ts";
import { Learner } from "#learner/learner.ts";
import { updatePolicy } from "#learner/policy-update.ts";
import type { RolloutSample } from "#learner/rollout-samples.ts";
import type { ModelConfig } from "#model/architecture.ts";
import { initialParameters } from "#model/parameters.ts";

const config: ModelConfig = {
  architectures: ["LiverlForCausalLM"],
  model_type: "liverl",
  vocab_size: 24,
  hidden_size: 16,
  intermediate_size: 32,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  max_position_embeddings: 32,
  rope_theta: 10_000,
  rms_norm_eps: 1e-5,
  hidden_act: "relu",
  tie_word_embeddings: false,
  torch_dtype: "float32",
  eos_token_id: 1,
  pad_token_id: 0,
};
const sampleOf = (advantage: number, positions: number[]): RolloutSample => ({
  rolloutIndex: 0,
  segmentId: 0,
  ids: [3, 7, 2, 9, 14, 5, 20, 11],
  positions,
  sampled: positions.map(() => 0),
  versions: positions.map(() => 0),
  reward: 0,
  advantages: positions.map(() => advantage),
  returns: positions.map(() => advantage),
});
const LEARNING_RATE = 1e-3;

/** One update of a fresh policy, and the parameters that it comes to. */
async function updateOnce(samples: RolloutSample[], entropyCoefficient = 0) {
  const parameters = initialParameters(config, 4);
  const learner = await Learner.open(config, parameters, 1);
  const old = await learner.score(samples, 1);
  const metrics = await updatePolicy(learner, newAdam(parameters), samples, old, null, {
    learningRate: LEARNING_RATE,
    clipNorm: 1e6,
    epochs: 1,
    clipLow: 0.2,
    clipHigh: 0.28,
    klCoefficient: 0,
    entropyCoefficient,
    temperature: 1,
  });
  return { metrics, parameters };
}

test("the mean is over every sampled token, those without an advantage too", async () => {
  const trained = [sampleOf(1, [2, 3, 4])];
  const alone = await updateOnce(trained);
  const among = await updateOnce([...trained, sampleOf(0, [1, 2, 3, 4, 5, 6])]);
  // The policy is its own old one, so each token of the trained sample has the loss −1: 3 of 3, and 3 of 9.
  expect(alone.metrics?.pgLoss).toBeCloseTo(-1, 5);
  expect(among.metrics?.pgLoss).toBeCloseTo(-1 / 3, 5);
  const norm = alone.metrics?.gradientNorm ?? 0;
  expect(norm).toBeGreaterThan(0);
  expect(among.metrics?.gradientNorm).toBeCloseTo(norm / 3, 5);
  // Adam takes no notice of a gradient's scale, so the step is the same but for its epsilon.
  for (const [name, { values }] of alone.parameters) {
    const other = among.parameters.get(name)?.values ?? [];
    const farthest = Math.max(...values.map((value, i) => Math.abs(value - other[i])));
    expect(farthest, name).toBeLessThan(LEARNING_RATE / 50);
  }
});

test("a sample without an advantage still trains its entropy", async () => {
  expect((await updateOnce([sampleOf(0, [2, 3])])).metrics).toBeNull();
  const { metrics } = await updateOnce([sampleOf(0, [2, 3])], 0.1);
  expect(metrics?.gradientNorm).toBeGreaterThan(0);
  expect(metrics?.loss).toBeCloseTo(-0.1 * (metrics?.entropy ?? 0), 6);
});
