import type { Advisory } from "@liverl/contract/run";
import { advise, firstBound, levelAbove, number, percent } from "#verdict/advise.ts";
import { type Judge, LEVEL_STEPS, type RunEvidence, SOLVED, WINDOW } from "#verdict/evidence.ts";
import {
  findShift,
  type Sample,
  type Series,
  samplesOf,
  seriesOf,
  valuesOf,
} from "#verdict/samples.ts";
import { mean, median, robustZ, slopeOf } from "#verdict/statistics.ts";

const GRAD_NORM = "actor/grad_norm";
/** Values that a robust z is taken against. */
const Z_WINDOW = 50;
const Z_LEAST = 10;
/** Nats. A KL below this is small however quiet it was before. */
const KL_FLOOR = 0.02;
/** Of what is usual: values that spread less are taken for ones that spread this much. */
const LEAST_SPREAD = 0.2;
/** Spreads that are taken for the least there are, so that noise over a constant is no spike. */
const KL_SPREAD = 0.005;
const GRAD_NORM_SPREAD = 0.01;

export const judgeEntropy: Judge = (evidence) => {
  const series = seriesOf(evidence, "entropy");
  if (series.samples.length < 2 * LEVEL_STEPS) return [];
  const collapse = judgeCollapse(evidence, series);
  if (collapse.length > 0) return collapse;
  const explosion = judgeExplosion(evidence, series);
  return explosion.length > 0 ? explosion : judgeEntropySlope(evidence, series);
};

/** Falling entropy is the price of reward: it is a sign only where nothing is had for it. */
function judgeEntropySlope(evidence: RunEvidence, { key, samples }: Series): Advisory[] {
  const recent = samples.slice(-WINDOW);
  const reward = seriesOf(evidence, "reward/mean").samples;
  const paired = recent.flatMap(({ step, value }) => {
    const earned = reward.find((one) => one.step === step);
    return earned && value > 0 ? [{ entropy: value, reward: earned.value, step }] : [];
  });
  if (paired.length < WINDOW || newestReward(evidence) >= SOLVED) return [];
  // Entropy decays by shares, so that its logarithm has a slope.
  const perStep = slopeOf(paired.map(({ step, entropy }) => [step, Math.log(entropy)]));
  const lost = 1 - Math.exp(perStep * WINDOW);
  const bounds = evidence.thresholds["entropy-slope"];
  const level = levelAbove(bounds, lost);
  const [had, has] = halves(paired.map((one) => one.reward));
  const gained = has - had;
  if (level === null || gained > firstBound(evidence.thresholds["reward-fall"]) / 2) return [];
  const ceiling = ceilingOf(paired);
  return [
    advise({
      id: "entropy-slope",
      level,
      title: "Entropy is spent and buys nothing",
      detail: `${percent(lost)} of it goes in ${WINDOW} steps, while the reward went from ${number(had)} to ${number(has)}.${ceiling === null ? "" : ` At this rate of exchange the reward ends at ${number(ceiling)} when none is left.`} Raise clip_ratio_high or the entropy bonus before it is gone.`,
      key,
      at: recent.at(-1),
    }),
  ];
}

/** Reward with no entropy left, by the law R = b − a·e^H over these steps; null where they do not follow it. */
function ceilingOf(paired: readonly { entropy: number; reward: number }[]): number | null {
  const points = paired.map(({ entropy, reward }): [number, number] => [Math.exp(entropy), reward]);
  const slope = slopeOf(points);
  if (!(slope < 0)) return null;
  const ceiling =
    mean(points.map(([, reward]) => reward)) + slope * (1 - mean(points.map(([x]) => x)));
  return Number.isFinite(ceiling) ? Math.min(1, ceiling) : null;
}

function judgeCollapse(evidence: RunEvidence, { key, samples }: Series): Advisory[] {
  const values = valuesOf(samples);
  const first = mean(values.slice(0, LEVEL_STEPS));
  const last = mean(values.slice(-LEVEL_STEPS));
  const bounds = evidence.thresholds["entropy-lost"];
  const level = first > 0 ? levelAbove(bounds, 1 - last / first) : null;
  // Little entropy is left because the task is solved: that is how it should end.
  if (level === null || newestReward(evidence) >= SOLVED) return [];
  const edge = first * (1 - firstBound(bounds));
  return [
    advise({
      id: "entropy-collapse",
      level,
      title: "Entropy has collapsed",
      detail: `It fell from ${number(first)} to ${number(last)} while the reward is not high yet: little exploration is left. Raise clip_ratio_high or the entropy bonus, or go back to a checkpoint before it.`,
      key,
      since: samples.find(({ value }) => value < edge) ?? null,
    }),
  ];
}

function judgeExplosion(evidence: RunEvidence, { key, samples }: Series): Advisory[] {
  const bounds = evidence.thresholds["entropy-rise"];
  const shift = findShift(
    samples,
    LEVEL_STEPS,
    (value, usual) => levelAbove(bounds, value / median(usual)) !== null,
  );
  if (!shift || shift.end !== null || shift.during.length < 2) return [];
  const before = median(valuesOf(shift.before));
  const now = shift.during.at(-1)?.value ?? before;
  return [
    advise({
      id: "entropy-explosion",
      level: levelAbove(bounds, now / before) ?? "warn",
      title: "Entropy explodes",
      detail: `It went from ${number(before)} to ${number(now)}: answers turn into noise. Read a rollout of that step; an entropy bonus or a learning rate too large does this.`,
      key,
      since: shift.start,
    }),
  ];
}

const newestReward = (evidence: RunEvidence) =>
  mean(valuesOf(seriesOf(evidence, "reward/mean").samples.slice(-LEVEL_STEPS)));

/** KL of the update: a spike, and drift with what the reward does meanwhile. */
export const judgeKl: Judge = (evidence) => {
  const { key, samples } = seriesOf(evidence, "kl");
  const spike = judgeSpike(evidence, { key, samples }, "kl-z", KL_SPREAD);
  if (spike)
    return [
      advise({
        id: "kl-spike",
        level: spike.level,
        title: "KL of the update spiked",
        detail: `${number(spike.at.value)} lies ${spike.z.toFixed(0)} robust deviations above the steps before: one update moved the policy far. A smaller learning rate or clip ratio holds it.`,
        key,
        since: spike.at,
      }),
    ];
  return judgeDrift(evidence, { key, samples });
};

function judgeDrift(evidence: RunEvidence, { key, samples }: Series): Advisory[] {
  const recent = samples.slice(-WINDOW);
  const reward = valuesOf(seriesOf(evidence, "reward/mean").samples.slice(-WINDOW));
  if (recent.length < WINDOW || reward.length < WINDOW) return [];
  const [before, after] = halves(valuesOf(recent));
  const [had, has] = halves(reward);
  if (after < KL_FLOOR || after < 2 * before || has - had > 0.01) return [];
  const isDamage = levelAbove(evidence.thresholds["reward-fall"], had - has) !== null;
  return [
    advise({
      id: "kl-drift",
      level: isDamage ? "bad" : "warn",
      title: isDamage ? "KL rises and reward falls" : "KL rises and reward does not",
      detail: `KL went from ${number(before)} to ${number(after)} over ${WINDOW} steps, reward from ${number(had)} to ${number(has)}: ${isDamage ? "the policy is being damaged; go back to a checkpoint before it" : "it moves without gaining; a stop loses nothing"}.`,
      key,
      at: recent.at(-1),
    }),
  ];
}

const halves = (values: readonly number[]): [number, number] => {
  const half = Math.floor(values.length / 2);
  return [mean(values.slice(0, half)), mean(values.slice(half))];
};

export const judgeGradNorm: Judge = (evidence) => {
  // A step whose groups had no spread has no gradient: that is no level to compare with.
  const samples = samplesOf(evidence, GRAD_NORM).filter(({ value }) => value !== 0);
  const spike = judgeSpike(evidence, { key: GRAD_NORM, samples }, "grad-norm-z", GRAD_NORM_SPREAD);
  if (!spike) return [];
  return [
    advise({
      id: "grad-norm-spike",
      level: spike.level,
      title: "Gradient norm spiked",
      detail: `${number(spike.at.value)} lies ${spike.z.toFixed(0)} robust deviations above the steps before. Spikes come before divergence: watch reward and KL of the next steps.`,
      key: GRAD_NORM,
      since: spike.at,
    }),
  ];
};

/** A value of the newest few steps that lies far above the steps before it. */
function judgeSpike(
  evidence: RunEvidence,
  { samples }: Series,
  id: "kl-z" | "grad-norm-z",
  leastSpread: number,
): { at: Sample; z: number; level: "warn" | "bad" } | null {
  for (const at of samples.slice(-LEVEL_STEPS)) {
    const others = samples.filter(({ step }) => step < at.step).slice(-Z_WINDOW);
    if (others.length < Z_LEAST) continue;
    const z = robustZ(at.value, valuesOf(others), { share: LEAST_SPREAD, floor: leastSpread });
    const level = levelAbove(evidence.thresholds[id], z);
    if (level !== null) return { at, z, level };
  }
  return null;
}
