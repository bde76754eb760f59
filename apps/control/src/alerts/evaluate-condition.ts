import type { AlertCondition } from "@liverl/contract/alert";
import {
  describeFinding,
  type Finding,
  type Judgement,
  type RunStatus,
} from "@liverl/contract/run";
import { number, numberBeside } from "#verdict/advise.ts";
import type { Sample } from "#verdict/samples.ts";
import { mean, robustZ } from "#verdict/statistics.ts";

/** What is known of a run when its rules are looked at. */
export interface AlertFacts {
  status: RunStatus;
  statusReason: string | null;
  verdict: Judgement;
  step: number;
  /** Samples of the present attempt, oldest first. */
  samplesOf: (metric: string) => readonly Sample[];
}

/** Why a rule fires, in words and as a place to look at. */
export interface Firing {
  title: string;
  detail: string;
  metricKey: string | null;
  value: number | null;
  step: number | null;
}

const Z_LEAST = 10;
/** Others that are all alike, as zeros are, make any other value a far one; the noise of their last digits is none. */
const LEAST_SPREAD = { share: 0.001, floor: 1e-9 };

/** Whether a condition holds now; null: it does not, or too little is known to say so. Pure. */
export function evaluateCondition(condition: AlertCondition, facts: AlertFacts): Firing | null {
  switch (condition.kind) {
    case "threshold":
      return evaluateThreshold(condition, facts);
    case "change":
      return evaluateChange(condition, facts);
    case "z-score":
      return evaluateZ(condition, facts);
    case "status":
      return evaluateStatus(condition, facts);
    case "word":
      return evaluateWord(condition, facts);
    case "sign":
      return evaluateSign(condition, facts);
  }
}

/** The metric that a condition reads, beyond those that verdicts look at. */
export function metricOf(condition: AlertCondition): string | null {
  return "metric" in condition ? condition.metric : null;
}

type Of<K extends AlertCondition["kind"]> = Extract<AlertCondition, { kind: K }>;

function evaluateThreshold(
  { metric, side, value, steps }: Of<"threshold">,
  { samplesOf }: AlertFacts,
): Firing | null {
  const isBeyond = (sample: Sample) =>
    side === "above" ? sample.value > value : sample.value < value;
  const recent = samplesOf(metric).slice(-steps);
  const [first] = recent;
  const last = recent.at(-1);
  if (!first || !last || recent.length < steps || !recent.every(isBeyond)) return null;
  return {
    title: `${metric} is ${side} ${value}`,
    detail: `It is ${numberBeside(value, last.value)} at step ${last.step}${steps > 1 ? `, and was ${side} it in all of the last ${steps} steps` : ""}.`,
    ...{ metricKey: metric, value: last.value, step: first.step },
  };
}

function evaluateChange(
  { metric, direction, percent, steps }: Of<"change">,
  { samplesOf }: AlertFacts,
): Firing | null {
  const recent = samplesOf(metric).slice(-2 * steps);
  const last = recent.at(-1);
  const since = recent[steps];
  if (!last || !since || recent.length < 2 * steps) return null;
  const before = mean(recent.slice(0, steps).map(({ value }) => value));
  const after = mean(recent.slice(steps).map(({ value }) => value));
  // Nothing can be told relative to nothing.
  if (before === 0) return null;
  const moved = (100 * (after - before)) / Math.abs(before);
  const isFar =
    (direction !== "falls" && moved > percent) || (direction !== "rises" && -moved > percent);
  if (!isFar) return null;
  return {
    title: `${metric} ${moved > 0 ? "rose" : "fell"} by ${Math.abs(moved).toFixed(0)} %`,
    detail: `Mean of the last ${steps} steps is ${number(after)}, of the ${steps} before ${number(before)}.`,
    ...{ metricKey: metric, value: after, step: since.step },
  };
}

function evaluateZ({ metric, z, window }: Of<"z-score">, { samplesOf }: AlertFacts): Firing | null {
  const samples = samplesOf(metric);
  const last = samples.at(-1);
  const others = samples.slice(0, -1).slice(-window);
  if (!last || others.length < Z_LEAST) return null;
  const found = robustZ(
    last.value,
    others.map(({ value }) => value),
    LEAST_SPREAD,
  );
  if (Math.abs(found) <= z) return null;
  return {
    title: `${metric} is ${Math.abs(found).toFixed(0)} deviations ${found > 0 ? "above" : "below"} its median`,
    detail: `It is ${number(last.value)} at step ${last.step}, against the ${others.length} steps before.`,
    ...{ metricKey: metric, value: last.value, step: last.step },
  };
}

function evaluateStatus(
  { statuses }: Of<"status">,
  { status, statusReason, step }: AlertFacts,
): Firing | null {
  if (!statuses.includes(status)) return null;
  return {
    title: `The run is ${status}`,
    detail: statusReason ? `${statusReason}.` : `At step ${step}.`,
    ...{ metricKey: null, value: null, step },
  };
}

function evaluateWord({ words }: Of<"word">, { verdict, step }: AlertFacts): Firing | null {
  if (!words.includes(verdict.word)) return null;
  const [worst] = verdict.advisories;
  return {
    title: verdict.word,
    detail: verdict.sentence,
    ...{ metricKey: worst?.metricKey ?? null, value: null, step: worst?.sinceStep ?? step },
  };
}

function evaluateSign({ signs }: Of<"sign">, { verdict, step }: AlertFacts): Firing | null {
  const known = signs as readonly string[];
  const found = verdict.advisories.find(({ id }) => known.includes(id));
  if (!found) return null;
  return {
    title: found.title,
    detail: found.detail,
    ...{ metricKey: found.metricKey, value: null, step: found.sinceStep ?? step },
  };
}

const MAX_NAMED = 5;

/**
 * Why a rule of signs fires for findings that began and ended while nobody looked: many steps came at once, or control was away. The
 * worst is the title, the others are named. Null where none of them is one of its signs. Pure.
 */
export function evaluateMissed(
  condition: AlertCondition,
  findings: readonly Finding[],
): Firing | null {
  if (condition.kind !== "sign") return null;
  const known = condition.signs as readonly string[];
  const found = findings.filter(({ sign }) => known.includes(sign));
  const [worst, ...others] = [
    ...found.filter(({ level }) => level === "bad"),
    ...found.filter(({ level }) => level !== "bad"),
  ];
  if (!worst) return null;
  const named = others.slice(0, MAX_NAMED).map(describeFinding).join("; ");
  const more = others.length > MAX_NAMED ? `; and ${others.length - MAX_NAMED} more` : "";
  return {
    title: describeFinding(worst),
    detail: others.length > 0 ? `${worst.detail} Also found: ${named}${more}.` : worst.detail,
    ...{ metricKey: worst.metricKey, value: null, step: worst.fromStep },
  };
}
