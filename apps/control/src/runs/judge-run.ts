import { COMPUTED_KEYS } from "@liverl/contract/metric";
import type { Advisory, Health, RunStatus, Verdict } from "@liverl/contract/run";
import {
  findEvaluation,
  findSignal,
  finiteValues,
  lastValue,
  type Signals,
} from "#runs/load-signals.ts";
import { mean, median, robustZ } from "#runs/statistics.ts";

export interface RunEvidence {
  status: RunStatus;
  statusReason: string | null;
  step: number;
  plannedSteps: number | null;
  signals: Signals;
  /** When the newest point was written, milliseconds since 1970. */
  lastPointMs: number | null;
  nowMs: number;
  crashes: number;
}

type Judge = (evidence: RunEvidence) => Advisory | null;

/** Newest steps that a trend is taken over. */
const WINDOW = 20;
const MIN_POINTS = 5;
/** Steps before anything is said of progress. */
const MIN_STEPS = 10;
/** Reward, 0…1, from which on there is little left to gain. */
const SOLVED = 0.9;
/** verl's FAQ: below 0.005 is normal, above 0.01 is a problem. */
const PROBS_DIFF = { warn: 0.005, bad: 0.01 };
/** verl's rollout correction warns above 0.1. */
const KL_WARN = 0.1;
/** Cui et al. 2505.22617: most of the gain is spent when 73 % of the entropy is gone. */
const ENTROPY_LOST = 0.73;
const GRAD_NORM_Z = 6;
const ZERO_STD_WARN = 0.5;
const INVALID_WARN = 0.05;
/** An open step this many times its median is a stall, but never before the floor. */
const STALL_FACTOR = 6;
const STALL_FLOOR_MS = 60_000;

const advisory = (
  id: string,
  level: Health,
  title: string,
  detail: string,
  metricKey: string | null,
  links: Advisory["links"] = [],
): Advisory => ({ id, level, title, detail, metricKey, links });
const stepLink = (step: number | undefined): Advisory["links"] =>
  step === undefined ? [] : [{ label: `Step ${step}`, href: `steps/${step}` }];
const number = (value: number) =>
  Math.abs(value) >= 0.001 || value === 0 ? value.toFixed(3) : value.toExponential(1);

const duration = (ms: number) => {
  if (ms < 120_000) return `${(ms / 1000).toPrecision(2)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
};

const judgeMismatch: Judge = ({ signals }) => {
  const key = "training/rollout_probs_diff_mean";
  const points = signals.get(key);
  const value = lastValue(points);
  if (value === null || value < PROBS_DIFF.warn) return null;
  const level = value > PROBS_DIFF.bad ? "bad" : "warn";
  return advisory(
    "rollout-mismatch",
    level,
    "Rollout and trainer disagree",
    `Mean difference of token probabilities is ${number(value)}; below ${PROBS_DIFF.warn} is normal. Compare the weight versions of the worst rollouts.`,
    key,
    stepLink(points?.step.at(-1)),
  );
};

const judgeKl: Judge = ({ signals }) => {
  const found = findSignal(signals, "rollout_corr/kl");
  const value = lastValue(found?.points);
  if (!found || value === null || Math.abs(value) <= KL_WARN) return null;
  return advisory(
    "rollout-kl",
    "warn",
    "KL between rollout and trainer is high",
    `|KL| is ${number(Math.abs(value))}; above ${KL_WARN} the gradient is off-policy.`,
    found.key,
    stepLink(found.points.step.at(-1)),
  );
};

const judgeEntropy: Judge = ({ signals }) => {
  const found = findSignal(signals, "entropy");
  const values = finiteValues(found?.points);
  if (!found || values.length < MIN_POINTS) return null;
  const first = mean(values.slice(0, 3));
  const last = mean(values.slice(-3));
  const reward = finiteValues(findSignal(signals, "reward/mean")?.points);
  const solved = reward.length > 0 && mean(reward.slice(-3)) >= SOLVED;
  if (first <= 0 || last > first * (1 - ENTROPY_LOST) || solved) return null;
  return advisory(
    "entropy-collapse",
    "warn",
    "Entropy has collapsed",
    `It fell from ${number(first)} to ${number(last)} while the reward is not high yet: little exploration is left.`,
    found.key,
    stepLink(found.points.step.at(-1)),
  );
};

const judgeGradNorm: Judge = ({ signals }) => {
  const key = "actor/grad_norm";
  const points = signals.get(key);
  if (!points) return null;
  if ((points.flag.at(-1) ?? 0) !== 0)
    return advisory(
      "grad-norm-nan",
      "bad",
      "Gradient norm is not finite",
      "The last update had a NaN or infinite gradient: stop and resume from the last good checkpoint.",
      key,
      stepLink(points.step.at(-1)),
    );
  const values = finiteValues(points).slice(-50);
  const last = values.at(-1);
  if (last === undefined || values.length < 10) return null;
  const z = robustZ(last, values.slice(0, -1));
  if (z <= GRAD_NORM_Z) return null;
  return advisory(
    "grad-norm-spike",
    "warn",
    "Gradient norm spiked",
    `${number(last)} lies ${z.toFixed(0)} robust deviations above the last ${values.length - 1} steps.`,
    key,
    stepLink(points.step.at(-1)),
  );
};

const judgeGroups: Judge = ({ signals }) => {
  const key = COMPUTED_KEYS.zeroStd;
  const points = signals.get(key);
  const values = finiteValues(points).slice(-MIN_POINTS);
  if (values.length < 3 || mean(values) < ZERO_STD_WARN) return null;
  const none = mean(finiteValues(signals.get(COMPUTED_KEYS.groupsNone)).slice(-MIN_POINTS));
  const all = mean(finiteValues(signals.get(COMPUTED_KEYS.groupsAll)).slice(-MIN_POINTS));
  const share = `${Math.round(mean(values) * 100)} % of groups`;
  // Everything solved is the end of the task, not a fault.
  if (all > none)
    return advisory(
      "groups-solved",
      "ok",
      "Most groups are solved",
      `${share} have equal rewards because all their rollouts solve the task: little is left to learn here.`,
      key,
      stepLink(points?.step.at(-1)),
    );
  return advisory(
    "zero-std-groups",
    "warn",
    "Most groups teach nothing",
    `${share} have equal rewards, so their advantage is zero; ${Math.round(none * 100)} % solve none: look for timeouts and truncation before blaming the tasks.`,
    key,
    stepLink(points?.step.at(-1)),
  );
};

const judgeInvalid: Judge = ({ signals }) => {
  const key = COMPUTED_KEYS.invalidRatio;
  const points = signals.get(key);
  const value = mean(finiteValues(points).slice(-3));
  if (!(value > INVALID_WARN)) return null;
  return advisory(
    "invalid-rollouts",
    value > 0.5 ? "bad" : "warn",
    "Rollouts end without a reward",
    `${Math.round(value * 100)} % of the last steps' rollouts failed with an error; ${INVALID_WARN * 100} % is the most that is normal.`,
    key,
    [
      {
        label: "Failed rollouts",
        href: `rollouts?${new URLSearchParams({ f: "status = failed" })}`,
      },
    ],
  );
};

const judgeAgents: Judge = ({ signals }) => {
  const key = COMPUTED_KEYS.agentErrors;
  const value = mean(finiteValues(signals.get(key)).slice(-3));
  if (!(value > INVALID_WARN)) return null;
  return advisory(
    "agent-errors",
    value > 0.5 ? "bad" : "warn",
    "Agents end with an error",
    `In ${Math.round(value * 100)} % of the last steps' rollouts the agent itself failed, and the tests judged what it left; ${INVALID_WARN * 100} % is the most that is normal.`,
    key,
    [
      {
        label: "Their rollouts",
        href: `rollouts?${new URLSearchParams({ f: "reason = agent-error" })}`,
      },
    ],
  );
};

const judgeRouting: Judge = ({ signals }) => {
  const key = COMPUTED_KEYS.routingCoverage;
  const value = finiteValues(signals.get(key)).at(-1);
  if (value === undefined || value === 1) return null;
  return advisory(
    "routing-coverage",
    "warn",
    "Router replay misses tokens",
    `The engine told the experts of ${Math.floor(value * 100)} % of the last step's trained tokens: rollouts without them are dropped.`,
    key,
  );
};

const judgeReward: Judge = ({ signals }) => {
  const found = findSignal(signals, "reward/mean");
  const values = finiteValues(found?.points).slice(-WINDOW);
  if (!found || values.length < WINDOW / 2) return null;
  const half = Math.floor(values.length / 2);
  const before = mean(values.slice(0, half));
  const after = mean(values.slice(half));
  const spread = median(values.map((value) => Math.abs(value - median(values)))) || 1e-9;
  if (before - after < Math.max(2 * spread, 0.05)) return null;
  return advisory(
    "reward-falls",
    "warn",
    "Reward is falling",
    `Mean of the last ${values.length - half} steps is ${number(after)}, of the ${half} before ${number(before)}.`,
    found.key,
    stepLink(found.points.step.at(-1)),
  );
};

/** First and last third against each other: a rise that is lost in the spread of single steps is none. */
const judgeFlat: Judge = ({ signals }) => {
  const found = findSignal(signals, "reward/mean");
  const values = finiteValues(found?.points);
  if (!found || values.length < WINDOW) return null;
  const third = Math.floor(values.length / 3);
  const before = values.slice(0, third);
  const after = values.slice(-third);
  const spreadOf = (part: number[]) => median(part.map((v) => Math.abs(v - median(part))));
  const noise = (2 * Math.max(spreadOf(before), spreadOf(after))) / Math.sqrt(third);
  if (mean(after) >= SOLVED || mean(after) - mean(before) > Math.max(noise, 0.01)) return null;
  return advisory(
    "reward-flat",
    "warn",
    "Reward does not rise",
    `Mean of the last ${third} steps is ${number(mean(after))}, of the first ${third} ${number(mean(before))}.`,
    found.key,
    stepLink(found.points.step.at(-1)),
  );
};

const judgeHeldOut: Judge = ({ signals }) => {
  const found = findEvaluation(signals);
  const values = finiteValues(found?.points);
  const [first] = values;
  const last = values.at(-1);
  if (!found || first === undefined || last === undefined || values.length < 3) return null;
  if (first - last < 0.05) return null;
  return advisory(
    "held-out-falls",
    "warn",
    "Held-out reward is below where it began",
    `It was ${number(first)} and is ${number(last)}.`,
    found.key,
    stepLink(found.points.step.at(-1)),
  );
};

const judgeStall: Judge = ({ status, signals, lastPointMs, nowMs }) => {
  if (status !== "running" || lastPointMs === null) return null;
  const typicalMs = median(stepTimes(signals).slice(-WINDOW)) * 1000;
  const limitMs = Math.max(
    STALL_FLOOR_MS,
    Number.isFinite(typicalMs) ? STALL_FACTOR * typicalMs : 10 * STALL_FLOOR_MS,
  );
  const quietMs = nowMs - lastPointMs;
  if (quietMs < limitMs) return null;
  return advisory(
    "stall",
    "bad",
    "No news from the trainer",
    `The newest metric is ${duration(quietMs)} old; a step takes ${Number.isFinite(typicalMs) ? duration(typicalMs) : "an unknown time"}.`,
    null,
    [{ label: "Trainer log", href: "logs?src=trainer" }],
  );
};

const judgeCrashes: Judge = ({ crashes }) =>
  crashes === 0
    ? null
    : advisory(
        "crashes",
        crashes > 3 ? "bad" : "warn",
        "The trainer was restarted",
        `It died ${crashes} ${crashes === 1 ? "time" : "times"} and went on from its newest checkpoint.`,
        null,
        [{ label: "Events", href: "events" }],
      );

const JUDGES: readonly {
  aspect: "progress" | "stability" | "performance" | "failures";
  judge: Judge;
}[] = [
  { aspect: "progress", judge: judgeReward },
  { aspect: "progress", judge: judgeFlat },
  { aspect: "progress", judge: judgeHeldOut },
  { aspect: "progress", judge: judgeGroups },
  { aspect: "stability", judge: judgeMismatch },
  { aspect: "stability", judge: judgeKl },
  { aspect: "stability", judge: judgeEntropy },
  { aspect: "stability", judge: judgeGradNorm },
  { aspect: "performance", judge: judgeStall },
  { aspect: "failures", judge: judgeInvalid },
  { aspect: "failures", judge: judgeAgents },
  { aspect: "failures", judge: judgeRouting },
  { aspect: "failures", judge: judgeCrashes },
];

const WORSE: readonly Health[] = ["unknown", "ok", "warn", "bad"];

/** The check-in note of a run: what its numbers say by the thresholds above. Pure. */
export function judgeRun(evidence: RunEvidence): Verdict {
  const known = evidence.signals.size > 0;
  const rewards = finiteValues(findSignal(evidence.signals, "reward/mean")?.points);
  const health: Record<(typeof JUDGES)[number]["aspect"], Health> = {
    progress: rewards.length >= MIN_STEPS ? "ok" : "unknown",
    stability: known ? "ok" : "unknown",
    performance: known ? "ok" : "unknown",
    failures: evidence.status === "failed" ? "bad" : known ? "ok" : "unknown",
  };
  const advisories: Advisory[] = [];
  for (const { aspect, judge } of JUDGES) {
    const found = judge(evidence);
    if (!found) continue;
    advisories.push(found);
    if (WORSE.indexOf(found.level) > WORSE.indexOf(health[aspect])) health[aspect] = found.level;
  }
  advisories.sort((a, b) => WORSE.indexOf(b.level) - WORSE.indexOf(a.level));
  const word = wordOf(evidence, advisories, known);
  return { word, sentence: sentenceOf(evidence, word, advisories), ...health, advisories };
}

function wordOf(
  { status }: RunEvidence,
  advisories: readonly Advisory[],
  known: boolean,
): Verdict["word"] {
  if (status === "failed") return "Down";
  if (advisories.some(({ id }) => id === "stall")) return "Stalled";
  if (!known) return "Unknown";
  return advisories.some(({ level }) => level === "bad" || level === "warn")
    ? "Degraded"
    : "Healthy";
}

function sentenceOf(
  evidence: RunEvidence,
  word: Verdict["word"],
  advisories: readonly Advisory[],
): string {
  const { status, statusReason, signals } = evidence;
  if (status === "failed") return statusReason ? `Failed: ${statusReason}.` : "The run failed.";
  const [worst] = advisories.filter(({ level }) => level === "bad" || level === "warn");
  if (word === "Unknown")
    return status === "booting" || status === "queued"
      ? "Not training yet."
      : evidence.lastPointMs === null
        ? "Nothing was measured yet."
        : "None of what it logs is a metric that is judged here.";
  const reward = finiteValues(findSignal(signals, "reward/mean")?.points);
  const held = finiteValues(findEvaluation(signals)?.points).at(-1);
  const parts: string[] = [];
  if (reward.length > 0)
    parts.push(
      `reward ${number(mean(reward.slice(-3)))} after ${number(mean(reward.slice(0, 3)))} at the start`,
    );
  if (held !== undefined) parts.push(`held-out ${number(held)}`);
  if ((status === "succeeded" || status === "cancelled") && statusReason) parts.push(statusReason);
  const facts = parts.length > 0 ? parts.join(", ") : "no reward logged yet";
  return worst ? `${worst.title}; ${facts}.` : `${facts[0]?.toUpperCase() ?? ""}${facts.slice(1)}.`;
}

/** Seconds of each step, oldest first. */
export function stepTimes(signals: Signals): number[] {
  const logged = finiteValues(signals.get("timing_s/step"));
  return logged.length > 0 ? logged : finiteValues(signals.get("perf/time_per_step"));
}
