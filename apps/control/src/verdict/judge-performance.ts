import { COMPUTED_KEYS, SLOWEST_PHASES, SLOWEST_PREFIX } from "@liverl/contract/metric";
import type { Advisory } from "@liverl/contract/run";
import { DEFAULT_THRESHOLDS, THRESHOLDS } from "@liverl/contract/threshold";
import {
  advise,
  duration,
  firstBound,
  levelAbove,
  levelBelow,
  number,
  percent,
  percentBeside,
  rolloutsLink,
} from "#verdict/advise.ts";
import { type Judge, LEVEL_STEPS, type RunEvidence, WINDOW } from "#verdict/evidence.ts";
import type { Signals } from "#verdict/load-signals.ts";
import {
  beginOf,
  levelSamplesOf,
  newestBadRun,
  samplesOf,
  seriesOf,
  valuesOf,
} from "#verdict/samples.ts";
import { mean, median } from "#verdict/statistics.ts";
import { stepTimes, usualGapS } from "#verdict/step-times.ts";

/** A run whose steps take milliseconds is not stalled after a second. */
const STALL_FLOOR_MS = 60_000;
/** A straggler that costs less of the step than this is not worth a word. */
const STRAGGLER_SHARE = 0.1;
const STALENESS = "training/off_policy/trajectory_staleness_worst/max";

/** So long may a run log nothing, in milliseconds, before it counts as stalled. */
export function stallLimitMs(
  signals: Signals,
  times = firstBound(DEFAULT_THRESHOLDS.stall),
): number {
  const gapS = usualGapS(signals);
  return Math.max(STALL_FLOOR_MS, gapS === null ? 10 * STALL_FLOOR_MS : times * gapS * 1000);
}

export const judgeStall: Judge = (evidence) => {
  const { status, signals, lastPointMs, nowMs, thresholds } = evidence;
  const times = firstBound(thresholds.stall);
  if (status !== "running" || lastPointMs === null || !Number.isFinite(times)) return [];
  // A file that nobody wrote since it was attached is of a run that ended before.
  if (lastPointMs < (evidence.attachedMs ?? 0)) return [];
  const gapS = usualGapS(signals);
  const limitMs = stallLimitMs(signals, times);
  const quietMs = nowMs - lastPointMs;
  if (quietMs < limitMs) return [];
  return [
    advise({
      id: "stall",
      level: "bad",
      title: "No news from the trainer",
      detail: `The newest metric is ${duration(quietMs)} old; ${gapS === null ? "how often metrics come is not known yet" : `the usual gap between two steps is ${duration(gapS * 1000)}`}.`,
      links: [
        { label: "Trainer log", href: "logs?src=trainer" },
        rolloutsLink("Running rollouts", "status = running"),
      ],
    }),
  ];
};

/** Old weights in a batch: what was sampled long ago pulls to where the policy no longer is. */
export const judgeStaleness: Judge = (evidence) => {
  const bounds = evidence.thresholds.staleness;
  const samples = samplesOf(evidence, STALENESS);
  const behind = median(valuesOf(levelSamplesOf(evidence, samples) ?? []));
  const level = levelAbove(bounds, behind);
  if (level === null) return [];
  const streak = newestBadRun(samples, (value) => levelAbove(bounds, value) !== null);
  return [
    advise({
      id: "staleness",
      level,
      title: "Rollouts are stale",
      detail: `The oldest weights of a batch are ${behind} versions behind; ${firstBound(bounds)} is the most that is usual. Lower the staleness threshold, or give the rollouts more engines.`,
      key: STALENESS,
      at: streak.at(-1),
      since: beginOf(streak, samples),
    }),
  ];
};

/** How the run could be faster. */
export const judgeAdvice: Judge = (evidence) => [
  ...judgeStragglers(evidence),
  ...judgePreemptions(evidence),
  ...judgeIdle(evidence),
  ...judgeMfu(evidence),
];

function judgeStragglers(evidence: RunEvidence): Advisory[] {
  const key = COMPUTED_KEYS.slowest;
  const samples = samplesOf(evidence, key);
  const ratio = median(valuesOf(samples.slice(-LEVEL_STEPS)));
  const bounds = evidence.thresholds.straggler;
  const last = samples.at(-1);
  const slowestS = samplesOf(evidence, COMPUTED_KEYS.slowestS).at(-1)?.value ?? 0;
  const stepS = median(stepTimes(evidence.signals).slice(-WINDOW));
  const lostS = slowestS * (1 - 1 / ratio);
  if (!last || samples.length < LEVEL_STEPS || levelAbove(bounds, ratio) === null) return [];
  if (lostS < STRAGGLER_SHARE * stepS) return [];
  const phases = SLOWEST_PHASES.map((phase) => ({
    phase,
    seconds: samplesOf(evidence, `${SLOWEST_PREFIX}${phase}_s`).at(-1)?.value ?? 0,
  })).sort((a, b) => b.seconds - a.seconds);
  const [most] = phases;
  return [
    advise({
      id: "stragglers",
      level: "ok",
      tier: "advice",
      title: "The slowest rollouts hold the step",
      detail: `The slowest takes ${ratio.toFixed(1)} times the median${most ? `, most of it in ${PHASE_WORDS[most.phase]} (${duration(most.seconds * 1000)})` : ""}. Bound that phase, or take more rollouts at once.`,
      key,
      at: last,
    }),
  ];
}

const PHASE_WORDS = {
  setup: "setting up",
  generate: "generating",
  tool: "tools",
  verify: "the verifier",
} as const satisfies Record<(typeof SLOWEST_PHASES)[number], string>;

/** The one sign of a full cache that verl logs as a series; −1 is its word for unknown. */
function judgePreemptions(evidence: RunEvidence): Advisory[] {
  const key = THRESHOLDS.preempted.metric;
  const recent = levelSamplesOf(evidence, samplesOf(evidence, key));
  const count = median(valuesOf(recent ?? []));
  if (levelAbove(evidence.thresholds.preempted, count) === null) return [];
  return [
    advise({
      id: "preemptions",
      level: "ok",
      tier: "advice",
      title: "Engines preempt requests",
      detail: `A rollout is thrown out of the cache ${number(count)} times, and its tokens are computed again: the cache is full. Raise the engines' share of memory, or add engines; fewer requests at once only hide it.`,
      key,
      at: recent?.at(-1),
    }),
  ];
}

function judgeIdle(evidence: RunEvidence): Advisory[] {
  // Where both sides take turns on the same machines, one of them always waits.
  if (evidence.isColocated) return [];
  const trainer = seriesOf(evidence, "idle_ratio/trainer");
  const rollouter = seriesOf(evidence, "idle_ratio/rollouter");
  const trains = mean(valuesOf(trainer.samples.slice(-LEVEL_STEPS)));
  const rolls = mean(valuesOf(rollouter.samples.slice(-LEVEL_STEPS)));
  const bounds = evidence.thresholds["idle-gap"];
  if (trainer.samples.length < LEVEL_STEPS || levelAbove(bounds, Math.abs(trains - rolls)) === null)
    return [];
  const isTrainer = trains > rolls;
  return [
    advise({
      id: "idle-imbalance",
      level: "ok",
      tier: "advice",
      title: isTrainer ? "The trainer waits for rollouts" : "The engines wait for the trainer",
      detail: `The trainer idles ${percent(trains)} of a step, the engines ${percent(rolls)}: ${remedy(isTrainer, evidence.hasGpus)}.`,
      key: isTrainer ? trainer.key : rollouter.key,
      at: trainer.samples.at(-1),
    }),
  ];
}

function remedy(isTrainer: boolean, hasGpus: boolean): string {
  if (isTrainer)
    return `${hasGpus ? "move GPUs from training to rollouts, " : ""}add engines, or raise the staleness threshold`;
  return `${hasGpus ? "move GPUs from rollouts to training, or " : ""}take engines away`;
}

function judgeMfu(evidence: RunEvidence): Advisory[] {
  // A model that trains on a CPU in minutes is too small to fill it, and none of the remedies is meant for it.
  if (!evidence.hasGpus) return [];
  const { key, samples } = seriesOf(evidence, "mfu/actor");
  const recent = valuesOf(samples.slice(-LEVEL_STEPS));
  const bounds = evidence.thresholds.mfu;
  // verl logs 0 where it does not know the GPU's peak.
  const isLow = recent.every((value) => value > 0 && levelBelow(bounds, value) !== null);
  if (recent.length < LEVEL_STEPS || !isLow) return [];
  const bound = firstBound(bounds);
  return [
    advise({
      id: "mfu-low",
      level: "ok",
      tier: "advice",
      title: "The update uses little of the hardware",
      detail: `MFU of the update is ${percentBeside(bound, mean(recent))}; below ${percent(bound)} over ${LEVEL_STEPS} steps something else than arithmetic takes the time: micro batches too small, offloading, or long padding.`,
      key,
      at: samples.at(-1),
    }),
  ];
}
