import type { Advisory } from "@liverl/contract/run";
import { THRESHOLDS, type ThresholdId } from "@liverl/contract/threshold";
import type { VerdictSign } from "@liverl/contract/verdict-sign";
import { advise, firstBound, levelAbove, levelBelow, numberBeside } from "#verdict/advise.ts";
import type { Judge, RunEvidence } from "#verdict/evidence.ts";
import { klKeyOf } from "#verdict/judge-weight-sync.ts";
import { beginOf, levelSamplesOf, newestBadRun, samplesOf, valuesOf } from "#verdict/samples.ts";
import { median } from "#verdict/statistics.ts";

const WORST = "Open the step's rollouts and look at the ratio lens of the worst.";

/** How far the engine that sampled is from the trainer that learns, by every measure that the run logs. */
export const judgeMismatch: Judge = (evidence) => [
  ...judgeLevel(evidence, {
    id: "probs-diff",
    name: "rollout-mismatch",
    title: "Rollout and trainer disagree",
    words: (value, bound) =>
      `Mean difference of token probabilities is ${value}; below ${bound} is normal. ${WORST}`,
  }),
  ...judgeLevel(evidence, {
    id: "rollout-kl",
    name: "rollout-kl",
    title: "KL between rollout and trainer is high",
    words: (value, bound) =>
      `|KL| is ${value}; above ${bound} the gradient is off-policy. ${WORST}`,
  }),
  ...judgeLevel(evidence, {
    id: "k3-kl",
    name: "k3-kl",
    title: "KL between rollout and trainer is high (k3)",
    words: (value, bound) =>
      `Its k3 estimate, in which no two tokens cancel, is ${value}; above ${bound} the gradient is off-policy. ${WORST}`,
  }),
  ...judgeLevel(evidence, {
    id: "log-ppl-diff",
    name: "log-ppl-diff",
    title: "Perplexities of rollout and trainer differ",
    words: (value, bound) =>
      `Per sequence their logarithms differ by ${value} nats a token; ${bound} is the most that is normal. ${WORST}`,
  }),
  ...judgeLevel(evidence, {
    id: "is-mean-high",
    name: "is-mean",
    title: "Importance weights are off",
    words: (value, bound) =>
      `Their mean is ${value} where 1 is right, and ${bound} the most: the trainer finds the sampled tokens likelier than the engine did. ${WORST}`,
  }),
  ...judgeLevel(evidence, {
    id: "is-mean-low",
    name: "is-mean",
    title: "Importance weights are off",
    words: (value, bound) =>
      `Their mean is ${value} where 1 is right, and ${bound} the least: the trainer finds the sampled tokens unlikelier than the engine did. ${WORST}`,
  }),
  ...judgeLevel(evidence, {
    id: "is-std",
    name: "is-std",
    title: "Importance weights spread wide",
    words: (value, bound) =>
      `Their standard deviation is ${value}, above ${bound}: a few tokens make the gradient. ${WORST}`,
  }),
  ...judgeLevel(evidence, {
    id: "is-ess",
    name: "is-ess",
    title: "Few samples carry the gradient",
    words: (value, bound) =>
      `The effective sample size is ${value} of 1, below ${bound}: most tokens count for nothing. ${WORST}`,
  }),
  ...judgeLevel(evidence, {
    id: "chi2-token",
    name: "chi2-token",
    title: "χ² of the importance weights is high",
    words: (value, bound) =>
      `It is ${value}, above ${bound}: the variance of the gradient grows with it. ${WORST}`,
  }),
];

interface LevelSign {
  id: ThresholdId;
  name: VerdictSign;
  title: string;
  words: (value: string, bound: number) => string;
}

function judgeLevel(evidence: RunEvidence, { id, name, title, words }: LevelSign): Advisory[] {
  const { metric, side } = THRESHOLDS[id];
  const bounds = evidence.thresholds[id];
  const key = metric === "rollout_corr/kl" ? klKeyOf(evidence) : metric;
  const samples = samplesOf(evidence, key).map((sample) => ({
    ...sample,
    value: side === "above" ? Math.abs(sample.value) : sample.value,
  }));
  const levelAt = (value: number) =>
    side === "above" ? levelAbove(bounds, value) : levelBelow(bounds, value);
  const recent = levelSamplesOf(evidence, samples);
  const value = median(valuesOf(recent ?? []));
  const level = levelAt(value);
  if (level === null) return [];
  const bound = firstBound(bounds);
  const streak = newestBadRun(samples, (one) => levelAt(one) !== null);
  return [
    advise({
      ...{ id: name, level, title, key, at: streak.at(-1) },
      detail: words(numberBeside(bound, value), bound),
      since: beginOf(streak, samples),
    }),
  ];
}
