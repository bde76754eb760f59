import { COMPUTED_KEYS, evaluationKey, METRIC_ALIASES } from "#metric.ts";
import type { RunDetail } from "#run.ts";

/** A number that says where a run stands. */
export interface RunFinal {
  label: string;
  title: string;
  of: (run: RunDetail) => number | null;
  kind: "number" | "signed" | "duration" | "percent" | "count";
  /** Keys that its values are logged under, best first. Without them it is known of a run as a whole alone. */
  keysOf?: (logged: readonly string[]) => readonly string[];
  /** Whether the highest value of a run says how far it came. */
  hasBest?: boolean;
  /** How a difference reads: of a score as it is, of a share in points of percent, of an amount as its part or multiple. */
  differs: "score" | "share" | "amount";
}

/** Where a run stands, in the order of the table's columns. */
export const RUN_FINALS: readonly RunFinal[] = [
  {
    ...{ label: "Reward", title: "Newest mean reward of training" },
    ...{ of: (run) => run.reward.last, kind: "number" },
    keysOf: () => [...METRIC_ALIASES["reward/mean"], COMPUTED_KEYS.rewardMean],
    hasBest: true,
    differs: "score",
  },
  {
    ...{ label: "Held-out", title: "Newest reward on held-out tasks" },
    ...{ of: (run) => run.heldOutReward, kind: "number" },
    keysOf: (logged) => [evaluationKey(logged) ?? ""],
    hasBest: true,
    differs: "score",
  },
  {
    ...{ label: "Held-out gain", title: "The newest held-out reward less the first one" },
    ...{ of: (run) => run.cost?.heldOutGain ?? null, kind: "signed" },
    differs: "score",
  },
  {
    ...{ label: "Step time", title: "Median of recent steps" },
    ...{ of: (run) => run.stepTimeS, kind: "duration" },
    keysOf: () => ["timing_s/step", "perf/time_per_step"],
    differs: "amount",
  },
  {
    ...{ label: "MFU", title: "Model FLOPs utilisation of the trainer" },
    ...{ of: (run) => run.mfu, kind: "percent" },
    keysOf: () => METRIC_ALIASES["mfu/actor"],
    differs: "share",
  },
  {
    ...{ label: "Trainer idle", title: "Share of a step that the trainer waits for rollouts" },
    ...{ of: (run) => run.idleRatio, kind: "percent" },
    keysOf: () => METRIC_ALIASES["idle_ratio/trainer"],
    differs: "share",
  },
  {
    ...{ label: "Device hours", title: "Hours at work times devices: GPUs, or processes on CPU" },
    ...{ of: (run) => run.cost?.deviceHours ?? null, kind: "number" },
    differs: "amount",
  },
  {
    ...{ label: "Tokens sampled", title: "By the policy, in training and evaluation" },
    ...{ of: (run) => run.cost?.tokensSampled ?? null, kind: "count" },
    differs: "amount",
  },
  {
    ...{ label: "Hours per point", title: "Device hours for each point of held-out reward gained" },
    ...{ of: (run) => run.cost?.hoursPerPoint ?? null, kind: "number" },
    differs: "amount",
  },
];

/** The difference from a baseline; of an amount, as a part of it. Null where one is not known, and of an amount of nothing. */
export function changeOf(
  differs: RunFinal["differs"],
  value: number | null,
  base: number | null,
): number | null {
  if (value === null || base === null) return null;
  if (differs !== "amount") return value - base;
  return base > 0 ? value / base - 1 : null;
}

/** Where runs are compared: each at its own last step, all at one step or one time since their first point, or each at its best. */
export type FinalsAt =
  | { kind: "last" }
  | { kind: "step"; step: number }
  | { kind: "time"; seconds: number }
  | { kind: "best" };

/** The parts of a series that finals are read from; a null value is not finite. */
export type FinalSeries = {
  key: string;
  step: readonly number[];
  value: readonly (number | null)[];
  wallMs: readonly number[];
};

export type FinalAt = { value: number | null; step: number | null };
const UNKNOWN: FinalAt = { value: null, step: null };

/** The keys that finals of a run are read from at a step, a time or the best. */
export function finalKeys(logged: readonly string[]): string[] {
  const keys = RUN_FINALS.flatMap(({ keysOf }) => keysOf?.(logged).find(isLogged) ?? []);
  return [...new Set(keys)];
  function isLogged(key: string): boolean {
    return logged.includes(key);
  }
}

/**
 * A run's number at a place, and the step that it is of: the newest value at or before it. `last` is the run's own number. What is known
 * of the whole run alone (device hours) has none at a step, and what has no best has none there.
 */
export function finalAt(
  run: RunDetail,
  final: RunFinal,
  series: readonly FinalSeries[],
  at: FinalsAt,
): FinalAt {
  if (at.kind === "last") return { value: final.of(run), step: run.step };
  const keys = final.keysOf?.(series.map(({ key }) => key)) ?? [];
  const own = keys.flatMap((key) => series.find((one) => one.key === key) ?? [])[0];
  if (own === undefined || (at.kind === "best" && final.hasBest !== true)) return UNKNOWN;
  const firstMs = Math.min(...series.flatMap(({ wallMs }) => wallMs[0] ?? []));
  let found: FinalAt = UNKNOWN;
  for (const [place, value] of own.value.entries()) {
    const step = own.step[place];
    if (value === null || step === undefined) continue;
    if (at.kind === "step" && step > at.step) break;
    if (at.kind === "time" && (own.wallMs[place] ?? 0) > firstMs + at.seconds * 1_000) continue;
    if (at.kind === "best" && found.value !== null && value <= found.value) continue;
    found = { value, step };
  }
  return found;
}

/** The last step, and the longest time, that all of the runs have reached; null where one has no point. */
export function commonEnd(
  runs: readonly (readonly FinalSeries[])[],
): { step: number; seconds: number } | null {
  const ends = runs.map((series) => {
    const firstMs = Math.min(...series.flatMap(({ wallMs }) => wallMs[0] ?? []));
    const lastMs = Math.max(...series.flatMap(({ wallMs }) => wallMs.at(-1) ?? []));
    return {
      step: Math.max(...series.flatMap(({ step }) => step.at(-1) ?? [])),
      seconds: Math.floor((lastMs - firstMs) / 1_000),
    };
  });
  const step = Math.min(...ends.map((end) => end.step));
  const seconds = Math.min(...ends.map((end) => end.seconds));
  return Number.isFinite(step) && Number.isFinite(seconds) ? { step, seconds } : null;
}

/** Where runs are compared when nobody has said it: at the step that all have reached, where they are not of one length. */
export function defaultFinalsAt(
  runs: readonly RunDetail[],
  common: { step: number } | null,
): FinalsAt {
  const isEqual = new Set(runs.map(({ step }) => step)).size <= 1;
  return isEqual || common === null ? { kind: "last" } : { kind: "step", step: common.step };
}
