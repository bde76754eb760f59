import type { Advisory } from "@liverl/contract/run";
import { advise, duration, firstBound, number } from "#verdict/advise.ts";
import { LEVEL_STEPS, type RunEvidence } from "#verdict/evidence.ts";
import { newestStreak, type Sample, samplesOf, seriesOf, valuesOf } from "#verdict/samples.ts";
import { mean, median, robustSpread } from "#verdict/statistics.ts";
import { STEP_TIME_KEYS } from "#verdict/step-times.ts";

/** First steps that no level is taken from: learning rates warm up, entropy falls, answers find their length. */
const WARM_UP = 10;
/** Newest steps over which a slope is taken. */
const SLOPE_STEPS = 18;
/** Newest steps that the present level is the median of. */
const NOW_STEPS = 8;
/** Steps before the slope's that a usual level is taken from. */
const USUAL_LEAST = 10;
const USUAL_MOST = 200;
/** Of a trend by Mann and Kendall: iid noise reaches it once in 30,000 windows. */
const TREND_Z = 4;
/** Spreads of the steps before that a trend has to leave behind. */
const SCATTER = 3;
/** Standard errors between two medians; less is noise, also where steps resemble their neighbours. */
const LEVEL_Z = 6;
/** Relative spread that is taken for the least there is. */
const LEAST_SPREAD = 0.02;
/** Standard error of a median over that of a mean, of normal values. */
const MEDIAN_ERROR = 1.2533;

export interface Drift {
  /** What was usual before. */
  usual: number;
  now: number;
  /** The first of the newest samples that all lie on the far side of what was usual. */
  since: Sample | null;
}

/**
 * Whether a positive quantity left the run's own usual level slowly, by at least `times` up or down: its newest steps have a trend that
 * makes up so much, or their level lies so far off. Null where it did not, or there are too few steps. Pure.
 */
export function findDrift(
  all: readonly Sample[],
  times: number,
  side: "up" | "down",
): Drift | null {
  const samples = all.slice(WARM_UP).filter(({ value }) => value > 0);
  if (samples.length < SLOPE_STEPS || !Number.isFinite(times)) return null;
  const sign = side === "up" ? 1 : -1;
  const logs = samples.map(({ value }) => sign * Math.log(value));
  const recent = logs.slice(-SLOPE_STEPS);
  const before = logs.slice(-SLOPE_STEPS - USUAL_MOST, -SLOPE_STEPS);
  const least = Math.log(times);
  // A trend makes up no more than the values do: most healthy steps end here.
  const canTrend = Math.max(...recent) - Math.min(...recent) >= least;
  const moved = median(recent.slice(-NOW_STEPS)) - median(before);
  if (!canTrend && !(moved >= least)) return null;
  const scatter = scatterOf(before);
  const isLevel = leftLevel(recent, before, { least, scatter });
  if (!isLevel && !canTrend) return null;
  const trend = trendOf(recent);
  const usual = before.length >= USUAL_LEAST ? median(before) : trend.from;
  // A trend back to what was usual is none to speak of, nor is one within what the run always scatters.
  const isTrend =
    trend.z >= TREND_Z * scatter.inflation &&
    trend.to - trend.from >= least &&
    trend.to - usual >= Math.max(least, SCATTER * scatter.spread);
  if (!isLevel && !isTrend) return null;
  // The newest steps are back on the way to what was usual: it is over.
  if (median(recent.slice(-LEVEL_STEPS)) - usual < least / 2) return null;
  const now = isTrend ? trend.to : median(recent.slice(-NOW_STEPS));
  const streak = newestStreak(samples, (value) => sign * Math.log(value) > usual);
  return {
    usual: Math.exp(sign * usual),
    now: Math.exp(sign * now),
    since: streak.length < samples.length ? (streak[0] ?? null) : null,
  };
}

/** Whether the newest steps lie above the ones before by at least `least`, and by more than both scatter. */
function leftLevel(
  recent: readonly number[],
  before: readonly number[],
  { least, scatter }: { least: number; scatter: Scatter },
): boolean {
  if (before.length < USUAL_LEAST) return false;
  const newest = recent.slice(-NOW_STEPS);
  const moved = median(newest) - median(before);
  const spread = Math.max(scatter.spread, robustSpread(newest), LEAST_SPREAD);
  const size = Math.sqrt(1 / newest.length + 1 / before.length);
  const error = MEDIAN_ERROR * spread * scatter.inflation * size;
  return moved >= least && moved >= LEVEL_Z * error;
}

interface Scatter {
  spread: number;
  /** Steps that resemble their neighbours tell less than as many that do not: by so much errors are larger. */
  inflation: number;
}

/** How values scatter, by their older half: a drift that goes on is in the newer one. */
function scatterOf(before: readonly number[]): Scatter {
  const calm = before.slice(0, Math.max(USUAL_LEAST, Math.ceil(before.length / 2)));
  if (calm.length < USUAL_LEAST) return { spread: 0, inflation: 1 };
  // Of few values chance alone makes some likeness.
  const alike = likeness(calm) - 1.5 / Math.sqrt(calm.length);
  const bounded = Math.min(0.9, Math.max(0, alike));
  return {
    spread: robustSpread(calm),
    inflation: Math.sqrt((1 + bounded) / (1 - bounded)),
  };
}

/** Correlation of each value with the next. */
function likeness(values: readonly number[]): number {
  const centre = mean(values);
  const off = values.map((value) => value - centre);
  const square = off.reduce((sum, one) => sum + one ** 2, 0);
  return square === 0
    ? 0
    : off.slice(1).reduce((sum, one, i) => sum + one * (off[i] ?? 0), 0) / square;
}

/** Where a line through the values begins and ends, by the median of all slopes (Theil, Sen), and how sure it rises (Mann, Kendall). */
function trendOf(values: readonly number[]): { from: number; to: number; z: number } {
  const n = values.length;
  const slopes: number[] = [];
  let score = 0;
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const rise = (values[j] ?? 0) - (values[i] ?? 0);
      slopes.push(rise / (j - i));
      score += Math.sign(rise);
    }
  const half = (median(slopes) * (n - 1)) / 2;
  const centre = median(values);
  const z = score / Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  return { from: centre - half, to: centre + half, z };
}

/** Nats. A KL below is numerical noise, however it moves. */
const ROLLOUT_KL_FLOOR = 1e-4;
const KL_FLOOR = 0.005;

export function judgeRolloutKl(evidence: RunEvidence): Advisory[] {
  const { key, samples } = seriesOf(evidence, "rollout_corr/kl");
  const positive = samples.map((one) => ({ ...one, value: Math.abs(one.value) }));
  const bound = firstBound(evidence.thresholds["rollout-kl-drift"]);
  const drift = findDrift(positive, bound, "up");
  if (!drift || drift.now < ROLLOUT_KL_FLOOR) return [];
  return [
    advise({
      id: "rollout-kl-drift",
      level: "warn",
      title: "KL between rollout and trainer is rising",
      detail: `|KL| is ${number(drift.now)}; ${number(drift.usual)} is usual for this run. Engine and trainer drift apart: look at staleness, weight syncs and the engine's precision before it reaches the bound.`,
      ...{ key, since: drift.since, at: samples.at(-1) },
    }),
  ];
}

export function judgeKlRise(evidence: RunEvidence): Advisory[] {
  const { key, samples } = seriesOf(evidence, "kl");
  const drift = findDrift(samples, firstBound(evidence.thresholds["kl-rise"]), "up");
  if (!drift || drift.now < KL_FLOOR) return [];
  return [
    advise({
      id: "kl-rise",
      level: "warn",
      title: "KL of the update is rising",
      detail: `It is ${number(drift.now)}; ${number(drift.usual)} is usual for this run. Each update moves the policy further: a smaller learning rate or clip ratio holds it.`,
      ...{ key, since: drift.since, at: samples.at(-1) },
    }),
  ];
}

export function judgeEntropyRise(evidence: RunEvidence): Advisory[] {
  const { key, samples } = seriesOf(evidence, "entropy");
  const drift = findDrift(samples, firstBound(evidence.thresholds["entropy-drift"]), "up");
  if (!drift || hasGained(evidence)) return [];
  return [
    advise({
      id: "entropy-drift",
      level: "warn",
      title: "Entropy is rising",
      detail: `It is ${number(drift.now)}; ${number(drift.usual)} is usual for this run, and the reward did not rise. Responses get noisier: look at the entropy bonus, the learning rate and the engine's samples.`,
      ...{ key, since: drift.since, at: samples.at(-1) },
    }),
  ];
}

export function judgeLengthDrift(evidence: RunEvidence): Advisory[] {
  const { key, samples } = seriesOf(evidence, "response_length/mean");
  const bound = firstBound(evidence.thresholds["length-drift"]);
  const up = findDrift(samples, bound, "up");
  const drift = up ?? findDrift(samples, bound, "down");
  if (!drift || hasGained(evidence)) return [];
  return [
    advise({
      id: "length-drift",
      level: "warn",
      title: up ? "Responses get longer" : "Responses get shorter",
      detail: `Mean length is ${drift.now.toFixed(0)} tokens; ${drift.usual.toFixed(0)} is usual for this run, and the reward did not rise. Read a few of the newest step: ${up ? "repetition makes them long" : "a policy that gives up makes them short"}.`,
      ...{ key, since: drift.since, at: samples.at(-1) },
    }),
  ];
}

export function judgeStepTime(evidence: RunEvidence): Advisory[] {
  // A run on this machine shares it with everything else that runs here.
  if (!evidence.hasGpus) return [];
  const key = STEP_TIME_KEYS.find((one) => evidence.signals.has(one)) ?? STEP_TIME_KEYS[0];
  const samples = samplesOf(evidence, key);
  const drift = findDrift(samples, firstBound(evidence.thresholds["step-time-drift"]), "up");
  if (!drift) return [];
  return [
    advise({
      id: "step-time-drift",
      level: "warn",
      title: "Steps take longer",
      detail: `A step takes ${duration(drift.now * 1000)}; ${duration(drift.usual * 1000)} is usual for this run. See which phase grew: generation, tools, the update or the weight sync.`,
      ...{ key, since: drift.since, at: samples.at(-1) },
    }),
  ];
}

/** Whether the reward rose over the same steps: what it costs is then no sign. */
function hasGained(evidence: RunEvidence): boolean {
  const rewards = valuesOf(seriesOf(evidence, "reward/mean").samples.slice(-SLOPE_STEPS));
  const third = Math.floor(rewards.length / 3);
  if (third === 0) return false;
  const gained = mean(rewards.slice(-third)) - mean(rewards.slice(0, third));
  return gained > firstBound(evidence.thresholds["reward-fall"]);
}
