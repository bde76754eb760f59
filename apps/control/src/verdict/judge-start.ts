import { METRIC_ALIASES, OTHER_WEIGHTS, STALE_SAMPLES } from "@liverl/contract/metric";
import type { Advisory, StartCheck } from "@liverl/contract/run";
import {
  type Bounds,
  DEFAULT_THRESHOLDS,
  THRESHOLDS,
  type ThresholdId,
} from "@liverl/contract/threshold";
import type { Points } from "#metrics/chunk-points.ts";
import { advise, firstBound, number, numberBeside, percent } from "#verdict/advise.ts";
import type { RunEvidence } from "#verdict/evidence.ts";
import { STEP_TIME_KEYS } from "#verdict/step-times.ts";

/** A start is judged while it is one. */
const EARLY = 10;
/** Steps are counted from 0 or from 1. */
const FIRST = 1;

/**
 * What the first two steps have to show, ticked from what was logged. A bad start does not mend itself: a wrong template or a
 * wrong mask trains on, to nothing. Empty where the first step was not seen, or nothing of this is logged.
 */
export function checkStart(evidence: RunEvidence): StartCheck[] {
  const measured = [
    samplesBesideTraining(evidence)
      ? null
      : checkFirst(
          evidence,
          "start-kl",
          "KL is 0 at the first step",
          (value) => `|KL| ${number(value)}: both policies are the same before the first update.`,
        ),
    checkFirst(
      evidence,
      "start-log-prob",
      "Log-probs are small",
      (value) =>
        `Mean |log-prob| ${number(value)} nats; above the bound the chat template or the config is wrong.`,
    ),
    comparesWeights(evidence)
      ? null
      : checkFirst(
          evidence,
          "probs-diff",
          "Engine and trainer agree",
          (value, bound) => `Mean difference of token probabilities ${numberBeside(bound, value)}.`,
        ),
    checkFirst(
      evidence,
      "invalid",
      "Rollouts get a reward",
      (value) => `${percent(value)} ended with an error.`,
    ),
    checkFirst(
      evidence,
      "truncated",
      "Answers are not cut",
      (value) => `${percent(value)} reached the length cap.`,
    ),
  ].filter((check) => check !== null);
  return measured.length === 0 ? [] : [...measured, secondStep(evidence)];
}

function checkFirst(
  { signals, thresholds }: RunEvidence,
  id: ThresholdId,
  label: string,
  say: (value: number, bound: number) => string,
): StartCheck | null {
  const { metric } = THRESHOLDS[id];
  const points = signals.get(metric);
  const value = points?.value[0] ?? null;
  if (value === null || (points?.step[0] ?? Number.POSITIVE_INFINITY) > FIRST) return null;
  const size = Math.abs(value);
  const bound = firstBound(thresholds[id]);
  const isGood = size <= bound;
  const words = isGood
    ? say(size, bound)
    : `${say(size, bound)} The bound is ${bound}${sourceOf(id, thresholds[id])}.`;
  return { id, label, status: isGood ? "pass" : "fail", detail: words, metricKey: metric };
}

/** Where the bound comes from, unless people of the project set another. */
function sourceOf(id: ThresholdId, { warn, bad }: Bounds): string {
  const { source } = THRESHOLDS[id];
  const usual = DEFAULT_THRESHOLDS[id];
  const isUsual = usual.warn === warn && usual.bad === bad;
  return isUsual ? ` (${source})` : ", which this project set";
}

/**
 * Whether engine and trainer are compared over different weights: fully asynchronous training goes on from those that sampled
 * between two weight syncs, and verl then compares all tokens, whose probabilities differ by design in the first step as in any.
 */
const comparesWeights = ({ signals }: RunEvidence): boolean =>
  signals.has(STALE_SAMPLES) && !signals.has(OTHER_WEIGHTS);

/**
 * Whether rollouts are sampled while the trainer goes on. Its KL is then taken against the weights that sampled, which differ
 * from its own already in the first step, and a first step holds several updates.
 */
const samplesBesideTraining = ({ signals }: RunEvidence): boolean =>
  signals.has(STALE_SAMPLES) || signals.has(BYPASS_KEY);

/** verl logs agreement under the actor where it takes the engine's log-probs for the old policy's: its KL is then that difference. */
const BYPASS_KEY = "actor/rollout_corr/kl";
/** Each is logged once an update is done. */
const UPDATE_KEYS = [...STEP_TIME_KEYS, ...METRIC_ALIASES["reward/mean"], "actor/grad_norm"];

/** Memory is full at its fullest in the second step: optimizer states are there. */
function secondStep({ signals, status }: RunEvidence): StartCheck {
  const base = { id: "second-step", label: "The second step goes by", metricKey: null };
  const isDone = (points: Points | undefined) =>
    (points?.step ?? []).filter((step) => step > 0).length >= 2;
  if (UPDATE_KEYS.some((key) => isDone(signals.get(key))))
    return { ...base, status: "pass", detail: "Memory held with the optimizer's states in it." };
  return status === "failed"
    ? { ...base, status: "fail", detail: "The run ended before it: look for memory in its log." }
    : { ...base, status: "wait", detail: "It is not done yet." };
}

/** One word of alarm for all checks that failed, while the run is young. */
export function judgeStart(
  { signals }: Pick<RunEvidence, "signals">,
  start: readonly StartCheck[],
  newestStep: number,
): Advisory[] {
  const failed = start.filter(({ status }) => status === "fail");
  const [first] = failed;
  if (first === undefined || newestStep > EARLY) return [];
  const key = first.metricKey ?? undefined;
  const points = key === undefined ? undefined : signals.get(key);
  const step = points?.step[0];
  const at =
    step === undefined
      ? undefined
      : { step, value: points?.value[0] ?? 0, wallMs: points?.wallMs[0] ?? 0 };
  return [
    advise({
      id: "bad-start",
      level: "warn",
      title: "The first steps look wrong",
      detail: failed.map(({ label, detail }) => `“${label}” does not hold. ${detail}`).join(" "),
      ...{ key, at },
    }),
  ];
}
