import type { Advisory, StartCheck } from "@liverl/contract/run";
import { THRESHOLDS, type ThresholdId } from "@liverl/contract/threshold";
import { advise, firstBound, number, percent } from "#verdict/advise.ts";
import type { RunEvidence } from "#verdict/evidence.ts";

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
    checkFirst(
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
    checkFirst(
      evidence,
      "probs-diff",
      "Engine and trainer agree",
      (value) => `Mean difference of token probabilities ${number(value)}.`,
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
  say: (value: number) => string,
): StartCheck | null {
  const { metric } = THRESHOLDS[id];
  const points = signals.get(metric);
  const value = points?.value[0] ?? null;
  if (value === null || (points?.step[0] ?? Number.POSITIVE_INFINITY) > FIRST) return null;
  const size = Math.abs(value);
  const isGood = size <= firstBound(thresholds[id]);
  return { id, label, status: isGood ? "pass" : "fail", detail: say(size), metricKey: metric };
}

/** Memory is full at its fullest in the second step: optimizer states are there. */
function secondStep({ signals, status }: RunEvidence): StartCheck {
  const steps = signals.get("timing_s/step")?.step ?? signals.get("perf/time_per_step")?.step ?? [];
  const base = { id: "second-step", label: "The second step goes by", metricKey: null };
  if (steps.filter((step) => step > 0).length >= 2)
    return { ...base, status: "pass", detail: "Memory held with the optimizer's states in it." };
  return status === "failed"
    ? { ...base, status: "fail", detail: "The run ended before it: look for memory in its log." }
    : { ...base, status: "wait", detail: "It is not done yet." };
}

/** One word of alarm for all checks that failed, while the run is young. */
export function judgeStart(start: readonly StartCheck[], newestStep: number): Advisory[] {
  const failed = start.filter(({ status }) => status === "fail");
  if (failed.length === 0 || newestStep > EARLY) return [];
  return [
    advise({
      id: "bad-start",
      level: "warn",
      title: "The first steps look wrong",
      detail: failed.map(({ label, detail }) => `“${label}” does not hold. ${detail}`).join(" "),
      links: [{ label: "Step 1", href: "steps/1" }],
    }),
  ];
}
