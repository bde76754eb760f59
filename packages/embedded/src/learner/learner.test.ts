import { expect, test } from "vitest";
import { Learner, type TrainingSample } from "#learner/learner.ts";
import type { ModelConfig } from "#model/architecture.ts";
import { initialParameters } from "#model/parameters.ts";

const config: ModelConfig = {
  architectures: ["LiverlForCausalLM"],
  model_type: "liverl",
  vocab_size: 24,
  hidden_size: 16,
  intermediate_size: 32,
  num_hidden_layers: 2,
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
const settings = {
  clipLow: 0.2,
  clipHigh: 0.28,
  klCoefficient: 0.1,
  entropyCoefficient: 0.05,
  temperature: 0.8,
};

test("the graph's gradient agrees with finite differences in every parameter", async () => {
  const parameters = initialParameters(config, 5);
  // A larger head than at the start of training, so that every gradient stands out from float32 noise.
  const head = parameters.get("lm_head");
  head?.values.forEach((value, i) => {
    head.values[i] = value * 20;
  });
  const learner = await Learner.open(config, parameters, 1);
  const ids = [3, 7, 2, 9, 14, 5, 20, 11, 6];
  const positions = [2, 3, 5, 7];
  const own = (await learner.score([{ ids, positions }], settings.temperature)).logProbabilities[0];
  const sample: TrainingSample = {
    ids,
    positions,
    weights: [0.3, 0.2, 0.4, 0.1],
    advantages: [1, -0.5, 0.7, 1.2],
    old: [own[0] - 0.05, own[1] + 0.04, own[2], own[3] - 0.02],
    reference: [own[0] + 0.2, own[1] - 0.3, own[2] + 0.1, own[3]],
  };
  const loss = async () => {
    const {
      logProbabilities: [logp],
      entropies: [entropy],
      k3: [k3],
    } = await learner.differentiate([sample], settings);
    return sample.weights.reduce((sum, weight, i) => {
      const ratio = Math.exp(logp[i] - (sample.old?.[i] ?? 0));
      return (
        sum +
        weight *
          (-ratio * sample.advantages[i] +
            settings.klCoefficient * k3[i] -
            settings.entropyCoefficient * entropy[i])
      );
    }, 0);
  };
  const { gradients } = await learner.differentiate([sample], settings);
  for (const [name, { values }] of parameters) {
    const gradient = gradients.get(name)!.values;
    // The entry with the largest gradient: the rest of a tensor goes through the same operators.
    const at = gradient.reduce(
      (best, value, i) => (Math.abs(value) > Math.abs(gradient[best]) ? i : best),
      0,
    );
    const before = values[at];
    const step = 2e-3;
    values[at] = before + step;
    const above = await loss();
    values[at] = before - step;
    const below = await loss();
    values[at] = before;
    const numeric = (above - below) / (2 * step);
    expect(Math.abs(numeric - gradient[at]), name).toBeLessThan(
      2e-3 + 0.03 * Math.abs(gradient[at]),
    );
    expect(Math.abs(gradient[at]), name).toBeGreaterThan(1e-3);
  }
});
