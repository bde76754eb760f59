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

test.each(["vanilla", "gspo"] as const)(
  "%s: the graph's gradient agrees with finite differences in every parameter",
  async (lossMode) => {
    const parameters = initialParameters(config, 5);
    // A larger head than at the start of training, so that every gradient stands out from float32 noise.
    const head = parameters.get("lm_head");
    head?.values.forEach((value, i) => {
      head.values[i] = value * 20;
    });
    const learner = await Learner.open(config, parameters, 1, { lossMode, withFeatures: false });
    const ids = [3, 7, 2, 9, 14, 5, 20, 11, 6];
    const positions = [2, 3, 5, 7];
    const own = (await learner.score([{ ids, positions }], settings.temperature))
      .logProbabilities[0];
    const first: TrainingSample = {
      ids,
      positions,
      // The tokens of a sequence share weight and advantage where they share the ratio.
      weights: lossMode === "gspo" ? [0.2, 0.2, 0.2, 0.2] : [0.3, 0.2, 0.4, 0.1],
      advantages: lossMode === "gspo" ? [0.8, 0.8, 0.8, 0.8] : [1, -0.5, 0.7, 1.2],
      old: [own[0] - 0.05, own[1] + 0.04, own[2], own[3] - 0.02],
      reference: [own[0] + 0.2, own[1] - 0.3, own[2] + 0.1, own[3]],
    };
    const second: TrainingSample = {
      ids: [3, 7, 2, 9, 14],
      positions: [2, 3],
      weights: [0.1, 0.1],
      advantages: [-0.6, -0.6],
      old: [own[0] + 0.03, own[1] + 0.05],
      reference: [own[0], own[1]],
    };
    const samples = [first, second];
    const loss = async () => {
      const found = await learner.differentiate(samples, settings);
      let sum = 0;
      samples.forEach(({ weights, advantages, old }, n) => {
        const differences = weights.map((_, i) => found.logProbabilities[n][i] - (old?.[i] ?? 0));
        const ofSequence = differences.reduce((a, b) => a + b, 0) / differences.length;
        weights.forEach((weight, i) => {
          const ratio = Math.exp(lossMode === "gspo" ? ofSequence : differences[i]);
          sum +=
            weight *
            (-ratio * advantages[i] +
              settings.klCoefficient * found.k3[n][i] -
              settings.entropyCoefficient * found.entropies[n][i]);
        });
      });
      return sum;
    };
    const { gradients } = await learner.differentiate(samples, settings);
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
  },
);
