import { METRIC_ALIASES } from "@liverl/contract/metric";
import type { Points } from "#metrics/chunk-points.ts";
import { LEVEL_STEPS, type RunEvidence, WINDOW } from "#verdict/evidence.ts";
import { findEvaluation, findSignal } from "#verdict/load-signals.ts";

export interface Sample {
  step: number;
  value: number;
  wallMs: number;
}

export interface Series {
  key: string;
  samples: Sample[];
}

/** Finite points of the present attempt, oldest first. */
function samplesIn(points: Points, sinceMs: number | null): Sample[] {
  return points.step.flatMap((step, i) => {
    const value = points.value[i] ?? null;
    const wallMs = points.wallMs[i] ?? 0;
    return value === null || wallMs < (sinceMs ?? 0) ? [] : [{ step, value, wallMs }];
  });
}

/** Steps of the present attempt at which a key's value was NaN or infinite, oldest first. */
export function brokenOf(
  { signals, attemptSinceMs }: Pick<RunEvidence, "signals" | "attemptSinceMs">,
  key: string,
): { step: number; wallMs: number; flag: number }[] {
  const points = signals.get(key);
  if (!points) return [];
  return points.step.flatMap((step, i) => {
    const [flag, wallMs] = [points.flag[i] ?? 0, points.wallMs[i] ?? 0];
    return flag === 0 || wallMs < (attemptSinceMs ?? 0) ? [] : [{ step, wallMs, flag }];
  });
}

/** Samples of one key, as it was logged. */
export function samplesOf(
  { signals, attemptSinceMs }: Pick<RunEvidence, "signals" | "attemptSinceMs">,
  key: string,
): Sample[] {
  const points = signals.get(key);
  return points ? samplesIn(points, attemptSinceMs) : [];
}

/** Samples under the first key of a canonical metric that the run logs. */
export function seriesOf(
  evidence: Pick<RunEvidence, "signals" | "attemptSinceMs">,
  canonical: keyof typeof METRIC_ALIASES,
): Series {
  const key = findSignal(evidence.signals, canonical)?.key ?? METRIC_ALIASES[canonical][0];
  return { key, samples: samplesOf(evidence, key) };
}

/** The in-run evaluation, of every attempt: held-out tasks stay the same. */
export function evaluationOf({ signals }: Pick<RunEvidence, "signals">): Series | null {
  const found = findEvaluation(signals);
  return found && { key: found.key, samples: samplesIn(found.points, null) };
}

export const valuesOf = (samples: readonly Sample[]) => samples.map(({ value }) => value);

/** The newest samples that are all bad, oldest first: its first one is where it began. */
export function newestStreak(
  samples: readonly Sample[],
  isBad: (value: number) => boolean,
): Sample[] {
  let from = samples.length;
  while (from > 0 && isBad(samples[from - 1]?.value ?? Number.NaN)) from -= 1;
  return samples.slice(from);
}

/** The same, up to the newest that is bad: good ones behind it are left out. Empty where none is bad. */
export function newestBadRun(
  samples: readonly Sample[],
  isBad: (value: number) => boolean,
): Sample[] {
  const to = samples.findLastIndex(({ value }) => isBad(value));
  return newestStreak(samples.slice(0, to + 1), isBad);
}

/** The newest step that the present attempt logged anything judged at; null where it logged nothing. */
export function newestStepOf({
  signals,
  attemptSinceMs,
}: Pick<RunEvidence, "signals" | "attemptSinceMs">): number | null {
  let newest: number | null = null;
  for (const { step, wallMs } of signals.values()) {
    const last = step.at(-1);
    if (last === undefined || (wallMs.at(-1) ?? 0) < (attemptSinceMs ?? 0)) continue;
    newest = Math.max(newest ?? last, last);
  }
  return newest;
}

/**
 * The newest three samples, which a level is the median of: one odd step moves it not at all. Null where there are fewer, or where
 * the key was last logged before the steps that are judged.
 */
export function levelSamplesOf(evidence: RunEvidence, samples: readonly Sample[]): Sample[] | null {
  const recent = samples.slice(-LEVEL_STEPS);
  const newest = newestStepOf(evidence) ?? 0;
  const isCurrent = (recent.at(-1)?.step ?? Number.NEGATIVE_INFINITY) > newest - WINDOW;
  return recent.length === LEVEL_STEPS && isCurrent ? recent : null;
}

/** The step at which a streak began; null where it was there from the first sample, so that nothing began. */
export function beginOf(streak: readonly Sample[], samples: readonly Sample[]): Sample | null {
  return streak.length < samples.length ? (streak[0] ?? null) : null;
}

export interface Shift {
  start: Sample;
  /** The first sample that is back; null while it lasts. */
  end: Sample | null;
  /** Samples before it, at most ten. */
  before: Sample[];
  during: Sample[];
}

const BASELINE = 10;

/**
 * The newest place where a level left what was usual just before, found from left to right: samples that left it are no part of
 * what is usual, so that a new level stays found. `hasLeft` is asked with at least `least` usual values. Null where it never did.
 */
export function findShift(
  samples: readonly Sample[],
  least: number,
  hasLeft: (value: number, usual: readonly number[]) => boolean,
): Shift | null {
  let usual: Sample[] = [];
  let shift: Shift | null = null;
  for (const sample of samples) {
    const isOut = usual.length >= least && hasLeft(sample.value, valuesOf(usual));
    if (!isOut) {
      if (shift && shift.end === null) shift.end = sample;
      usual = [...usual.slice(1 - BASELINE), sample];
    } else if (shift && shift.end === null) shift.during.push(sample);
    else shift = { start: sample, end: null, before: usual, during: [sample] };
  }
  return shift;
}
