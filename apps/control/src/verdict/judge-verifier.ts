import { COMPUTED_KEYS, ERROR_PREFIX } from "@liverl/contract/metric";
import type { Advisory } from "@liverl/contract/run";
import {
  advise,
  firstBound,
  levelAbove,
  number,
  percent,
  plural,
  rolloutsLink,
} from "#verdict/advise.ts";
import { type Judge, LEVEL_STEPS, type RunEvidence } from "#verdict/evidence.ts";
import { countsOf, judgeShare } from "#verdict/judge-failures.ts";
import {
  beginOf,
  newestStreak,
  type Sample,
  samplesOf,
  seriesOf,
  valuesOf,
} from "#verdict/samples.ts";
import { mean } from "#verdict/statistics.ts";

/** Mean reward before, from which on a whole batch without one is no bad luck: at 16 rollouts a step, 1 in 300. */
const LIKELY = 0.3;
/** The same for two such steps and more. */
const POSSIBLE = 0.1;

/** A verifier that broke: it fails, or it says the same of every task from one step to the next. */
export const judgeVerifier: Judge = (evidence) => [
  ...judgeShare(evidence, "verifier-errors", (share, usual) => ({
    name: "verifier-errors",
    title: "The verifier fails",
    detail: `In ${share} of the last steps' rollouts the verifier itself ended with an error, so that they have no reward; ${usual} is the most that is normal.${countsOf(evidence, ERROR_PREFIX, "Most often")} Its log is the trial runner's.`,
    link: { label: "Failed rollouts", filter: "status = failed" },
    log: "runner",
  })),
  ...judgeContradictions(evidence),
  ...judgeAllZero(evidence),
  ...judgeAllSolved(evidence),
  ...judgeShare(evidence, "task-jump", (share) => ({
    name: "task-jump",
    title: "Tasks are solved all at once",
    detail: `${share} of the tasks that no rollout had solved are now solved by every rollout of their group. Learning comes by parts: look whether the tests still test.`,
    link: { label: "Solved rollouts", filter: "reward > 0" },
  })),
];

/** Nothing but the verifier, or what it runs in, can give another reward to the same answer. */
function judgeContradictions(evidence: RunEvidence): Advisory[] {
  const bounds = evidence.thresholds.contradicted;
  const found = [
    { key: COMPUTED_KEYS.contradicted, mode: undefined },
    { key: COMPUTED_KEYS.contradictedEval, mode: "eval" as const },
  ].flatMap(({ key, mode }) => {
    const streak = newestStreak(
      samplesOf(evidence, key),
      (value) => levelAbove(bounds, value) !== null,
    );
    // Unlike a level, one is enough: each of its answers is a proof of its own. And it always began, as it is against before.
    const [since] = streak;
    return since === undefined ? [] : [{ key, mode, since, worst: worstOf(streak) }];
  });
  const [first] = found.toSorted((a, b) => a.since.step - b.since.step);
  if (!first) return [];
  const { key, mode, since, worst } = first;
  const of = mode === "eval" ? "mode = eval and " : "";
  return [
    advise({
      id: "verifier-contradicts",
      level: levelAbove(bounds, worst) ?? "warn",
      title: "The verifier judges the same answers otherwise",
      detail: `Of answers that were given to the same task before, word for word, ${percent(worst)} have another reward now; ${percent(firstBound(bounds))} is the most that flaky tests explain. The tests or what they run in have changed, not the policy: open one of its rollouts, its Verifier tab names the earlier one.`,
      ...{ key, since, mode, log: "runner" },
      links: [rolloutsLink("Its rollouts", `${of}step = ${since.step}`)],
    }),
  ];
}

const worstOf = (samples: readonly Sample[]) => Math.max(...valuesOf(samples));

function judgeAllZero(evidence: RunEvidence): Advisory[] {
  const { key, samples } = rewardOf(evidence);
  const streak = newestStreak(samples, (value) => value <= 0);
  const since = beginOf(streak, samples);
  if (!since) return [];
  const before = samples.slice(0, -streak.length).slice(-LEVEL_STEPS);
  const usual = mean(valuesOf(before));
  const isSure = usual >= LIKELY || (usual >= POSSIBLE && streak.length > 1);
  if (before.length < LEVEL_STEPS || !isSure) return [];
  return [
    advise({
      id: "verifier-zero",
      level: "bad",
      title: "Every reward is 0",
      detail: `No rollout of ${plural(streak.length, "step")} was rewarded, on any task; the steps before had a mean of ${number(usual)}. All tasks at once is the verifier or the sandbox, not the policy: open the Verifier tab of a rollout.`,
      ...{ key, since },
      links: [rolloutsLink("Its rollouts", `step = ${since.step}`)],
    }),
  ];
}

function judgeAllSolved(evidence: RunEvidence): Advisory[] {
  const key = COMPUTED_KEYS.groupsAll;
  const samples = samplesOf(evidence, key);
  const streak = newestStreak(samples, (value) => value >= 1);
  const since = beginOf(streak, samples);
  if (!since) return [];
  const before = samples.slice(0, -streak.length).slice(-LEVEL_STEPS);
  if (before.length < LEVEL_STEPS || mean(valuesOf(before)) > LIKELY) return [];
  return [
    advise({
      id: "verifier-all",
      level: "bad",
      title: "Every rollout is rewarded",
      detail: `All rollouts of all tasks were solved in ${plural(streak.length, "step")}; just before, ${Math.round(mean(valuesOf(before)) * 100)} % of groups were. Either the verifier accepts everything or the policy found a way around it: read a rewarded patch.`,
      ...{ key, since },
      links: [rolloutsLink("Its rollouts", `step = ${since.step}`)],
    }),
  ];
}

/** Of the rollouts that we ran where there are any: no trainer's shaping is in them. */
function rewardOf(evidence: RunEvidence): { key: string; samples: Sample[] } {
  const own = samplesOf(evidence, COMPUTED_KEYS.rewardMean);
  return own.length > 0
    ? { key: COMPUTED_KEYS.rewardMean, samples: own }
    : seriesOf(evidence, "reward/mean");
}
