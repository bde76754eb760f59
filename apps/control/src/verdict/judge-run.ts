import {
  type Advisory,
  type Health,
  isTerminal,
  type Judgement,
  type StartCheck,
} from "@liverl/contract/run";
import { number } from "#verdict/advise.ts";
import { type Judge, LEVEL_STEPS, MIN_STEPS, type RunEvidence, WINDOW } from "#verdict/evidence.ts";
import {
  judgeEntropyRise,
  judgeKlRise,
  judgeLengthDrift,
  judgeRolloutKl,
  judgeStepTime,
} from "#verdict/judge-baseline.ts";
import { judgeEntropy, judgeGradNorm, judgeKl } from "#verdict/judge-drift.ts";
import { judgeFailures } from "#verdict/judge-failures.ts";
import { judgeFinite } from "#verdict/judge-finite.ts";
import { judgeGroups } from "#verdict/judge-groups.ts";
import { judgeLength } from "#verdict/judge-length.ts";
import { judgeMismatch } from "#verdict/judge-mismatch.ts";
import { judgeAdvice, judgeStaleness, judgeStall } from "#verdict/judge-performance.ts";
import { judgeHeldOut, judgeReward } from "#verdict/judge-reward.ts";
import { checkStart, judgeStart } from "#verdict/judge-start.ts";
import { judgeVerifier } from "#verdict/judge-verifier.ts";
import { judgeWeightSync } from "#verdict/judge-weight-sync.ts";
import { findEvaluation, findSignal, finiteValues } from "#verdict/load-signals.ts";
import { newestStepOf } from "#verdict/samples.ts";
import { mean } from "#verdict/statistics.ts";

type Aspect = "progress" | "stability" | "performance" | "failures";

const JUDGES: readonly (readonly [aspect: Aspect, judge: Judge])[] = [
  ["stability", judgeFinite],
  ["failures", judgeVerifier],
  ["stability", judgeWeightSync],
  ["progress", judgeReward],
  ["progress", judgeHeldOut],
  ["progress", judgeGroups],
  ["stability", judgeMismatch],
  ["stability", judgeEntropy],
  ["stability", judgeKl],
  ["stability", judgeGradNorm],
  ["stability", judgeStaleness],
  ["stability", judgeRolloutKl],
  ["stability", judgeKlRise],
  ["stability", judgeEntropyRise],
  ["performance", judgeStall],
  ["performance", judgeStepTime],
  ["failures", judgeFailures],
  ["failures", judgeLength],
  ["failures", judgeLengthDrift],
  ["performance", judgeAdvice],
];

/** What a reward does that earns nothing any more. */
const REWARD_SIGNS = ["reward-drop", "reward-falls", "reward-flat", "zero-std-groups"] as const;
const MISMATCH_SIGNS = [
  ...["rollout-mismatch", "rollout-kl", "k3-kl", "log-ppl-diff", "is-mean", "is-std", "is-ess"],
  ...["chi2-token", "rollout-kl-drift"],
] as const;

/** A sign → signs that only say the same again, once it is there. */
export const EXPLAINS: Partial<Record<string, readonly string[]>> = {
  // Engines with broken weights sample nonsense, which earns nothing, ends in errors and has no end.
  "weight-sync": [
    ...MISMATCH_SIGNS,
    ...REWARD_SIGNS,
    ...["verifier-zero", "held-out-falls", "agent-errors", "entropy-explosion", "entropy-slope"],
    ...["truncated", "length-explosion", "kl-spike", "grad-norm-spike"],
    ...["entropy-drift", "length-drift", "kl-rise"],
  ],
  // The policy has not changed its mind.
  "verifier-contradicts": [
    ...REWARD_SIGNS,
    ...["verifier-zero", "verifier-all", "held-out-falls", "reward-hacking", "task-jump"],
  ],
  "verifier-zero": REWARD_SIGNS,
  "verifier-errors": ["invalid-rollouts", "aborted-answers"],
  "invalid-rollouts": ["aborted-answers"],
};

/** A sign → slow drift of the same metric, which then says nothing more. */
export const OUTWEIGHS: Partial<Record<string, readonly string[]>> = {
  "rollout-kl": ["rollout-kl-drift"],
  "entropy-explosion": ["entropy-drift"],
  "kl-spike": ["kl-rise"],
  "kl-drift": ["kl-rise"],
  "length-explosion": ["length-drift"],
};

const WORSE: readonly Health[] = ["unknown", "ok", "warn", "bad"];
const worse = (a: Health, b: Health) => WORSE.indexOf(b) - WORSE.indexOf(a);

/** The check-in note of a run: what its numbers say by the thresholds that are given. Pure. */
export function judgeRun(evidence: RunEvidence): Judgement {
  const start = checkStart(evidence);
  const steps = judgedSteps(evidence);
  const found = findAll(evidence, start, steps?.[1] ?? 0);
  const health = firstHealth(evidence);
  const alarms: Advisory[] = [];
  for (const { aspect, advisory, isExplained } of found) {
    if (advisory.tier === "advice") continue;
    // What another sign explains is not said again, and is no less true.
    if (!isExplained) alarms.push(advisory);
    if (worse(advisory.level, health[aspect]) < 0) health[aspect] = advisory.level;
  }
  alarms.sort((a, b) => worse(a.level, b.level));
  // The same observation means another thing on a run that is ill: advice waits until it is well.
  const advice = found.flatMap(({ advisory }) => (advisory.tier === "advice" ? [advisory] : []));
  const advisories = alarms.length > 0 ? alarms : advice;
  const word = wordOf(evidence, alarms);
  const sentence = sentenceOf(evidence, word, alarms[0]);
  return { word, sentence, ...health, advisories, steps, start };
}

function findAll(
  evidence: RunEvidence,
  start: readonly StartCheck[],
  newestStep: number,
): { aspect: Aspect; advisory: Advisory; isExplained: boolean }[] {
  const all = JUDGES.flatMap(([aspect, judge]) =>
    judge(evidence).map((advisory) => ({ aspect, advisory })),
  );
  for (const advisory of judgeStart(evidence, start, newestStep))
    all.push({ aspect: "stability", advisory });
  const explained = new Set(
    all.flatMap(({ advisory: { id, level } }) => [
      // What is over explains nothing that goes on.
      ...(level === "bad" ? (EXPLAINS[id] ?? []) : []),
      ...(OUTWEIGHS[id] ?? []),
    ]),
  );
  return all.map(({ aspect, advisory }) => ({
    aspect,
    advisory: asLogged(advisory, evidence.names),
    isExplained: explained.has(advisory.id),
  }));
}

/** In the run's own names of its metrics. */
function asLogged(advisory: Advisory, names: RunEvidence["names"]): Advisory {
  if (!names || names.size === 0) return advisory;
  const rename = (text: string) =>
    [...names].reduce((done, [key, name]) => done.replaceAll(key, name), text);
  const { metricKey } = advisory;
  const own = metricKey === null ? undefined : names.get(metricKey);
  return {
    ...advisory,
    title: rename(advisory.title),
    detail: rename(advisory.detail),
    metricKey: own ?? metricKey,
    links: advisory.links.map(({ label, href }) => ({
      label: rename(label),
      href: [...names].reduce(
        (done, [key, name]) => done.replaceAll(encodeURIComponent(key), encodeURIComponent(name)),
        href,
      ),
    })),
  };
}

function firstHealth({ signals, status }: RunEvidence): Record<Aspect, Health> {
  const known: Health = signals.size > 0 ? "ok" : "unknown";
  const rewards = finiteValues(findSignal(signals, "reward/mean")?.points);
  return {
    progress: rewards.length >= MIN_STEPS ? "ok" : "unknown",
    stability: known,
    performance: known,
    failures: status === "failed" ? "bad" : known,
  };
}

/** The newest steps of the present attempt; null before its first. */
function judgedSteps(evidence: RunEvidence): [number, number] | null {
  const last = newestStepOf(evidence);
  if (last === null) return null;
  const sinceMs = evidence.attemptSinceMs ?? 0;
  let first = last;
  for (const { step, wallMs } of evidence.signals.values())
    first = Math.min(first, step.find((_, i) => (wallMs[i] ?? 0) >= sinceMs) ?? first);
  return [Math.max(0, first, last - WINDOW + 1), last];
}

function wordOf({ status, signals }: RunEvidence, alarms: readonly Advisory[]): Judgement["word"] {
  if (status === "failed") return "Down";
  if (alarms.some(({ id }) => id === "stall")) return "Stalled";
  if (signals.size === 0) return "Unknown";
  return alarms.length > 0 ? "Degraded" : "Healthy";
}

function sentenceOf(
  evidence: RunEvidence,
  word: Judgement["word"],
  worst: Advisory | undefined,
): string {
  const { status, statusReason, signals } = evidence;
  if (status === "failed") return statusReason ? `Failed: ${statusReason}.` : "The run failed.";
  if (word === "Unknown")
    return status === "booting" || status === "queued"
      ? "Not training yet."
      : evidence.lastPointMs === null
        ? "Nothing was measured yet."
        : "None of what it logs is a metric that is judged here.";
  const reward = finiteValues(findSignal(signals, "reward/mean")?.points);
  const evaluation = findEvaluation(signals)?.points;
  const held = finiteValues(evaluation).at(-1);
  const parts: string[] = [];
  if (reward.length > 0)
    parts.push(
      `training reward ${number(mean(reward.slice(-LEVEL_STEPS)))} over the last ${LEVEL_STEPS} steps, ${number(mean(reward.slice(0, LEVEL_STEPS)))} over the first ${LEVEL_STEPS}`,
    );
  if (held !== undefined) {
    const step = evaluation?.step.at(-1);
    // An evaluation at the end of a run is another one: each says which it is.
    parts.push(`in-run evaluation ${number(held)}${step === undefined ? "" : ` at step ${step}`}`);
  }
  const facts = parts.length > 0 ? parts.join(", ") : "no reward logged yet";
  const hasEnded = isTerminal(status) && statusReason;
  const end = hasEnded ? ` ${capital(statusReason)}.` : "";
  return worst ? `${worst.title}; ${facts}.${end}` : `${capital(facts)}.${end}`;
}

const capital = (words: string) => `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`;
