import { COMPUTED_KEYS, ERROR_PREFIX, INTEGRITY_PREFIX } from "@liverl/contract/metric";
import type { Advisory } from "@liverl/contract/run";
import { THRESHOLDS, type ThresholdId } from "@liverl/contract/threshold";
import type { VerdictSign } from "@liverl/contract/verdict-sign";
import {
  advise,
  firstBound,
  levelAbove,
  logLinkOf,
  percent,
  percentBeside,
  plural,
  rolloutsLink,
} from "#verdict/advise.ts";
import { type Judge, LEVEL_STEPS, type RunEvidence, WINDOW } from "#verdict/evidence.ts";
import { beginOf, newestBadRun, samplesOf, valuesOf } from "#verdict/samples.ts";
import { mean } from "#verdict/statistics.ts";

/** Errors of rollouts: without a reward, of their agents, and of what runs them. */
export const judgeFailures: Judge = (evidence) => [
  ...judgeShare(evidence, "invalid", (share, usual) => ({
    name: "invalid-rollouts",
    title: "Rollouts end without a reward",
    detail: `${share} of the last steps' rollouts failed with an error; ${usual} is the most that is normal.${countsOf(evidence, ERROR_PREFIX, "Most often")}`,
    link: { label: "Failed rollouts", filter: "status = failed" },
    log: "runner",
  })),
  ...judgeShare(evidence, "aborted", (share, usual) => ({
    name: "aborted-answers",
    title: "Answers are aborted",
    detail: `${share} of the last steps' answers were given up before they had a token to train on; ${usual} is the most that is normal. One of them costs its group its place in the batch: look at sandboxes, time-outs and the engines' log.`,
    link: { label: "Failed rollouts", filter: "mode = train and status = failed" },
    log: "runner",
  })),
  ...judgeShare(evidence, "agent-errors", (share, usual) => ({
    name: "agent-errors",
    title: "Agents end with an error",
    detail: `In ${share} of the last steps' rollouts the agent itself failed, and the tests judged what it left; ${usual} is the most that is normal.`,
    link: { label: "Their rollouts", filter: "reason = agent-error" },
  })),
  ...judgeShare(evidence, "integrity", (share, usual) => ({
    name: "integrity",
    title: "Rewards that may not be earned",
    detail: `${share} of the last steps' rollouts have a sign of it; ${usual} is the most that is normal.${countsOf(evidence, INTEGRITY_PREFIX, "Most often")} Compare one with an honest sibling of its group.`,
    link: { label: "Flagged rollouts", filter: "flag != none" },
  })),
  ...judgeRouting(evidence),
  ...judgeCrashes(evidence),
];

/** How a share is judged: its mean over the last steps, and the step from which on each was too high. */
export function judgeShare(
  evidence: RunEvidence,
  id: ThresholdId,
  say: (
    share: string,
    usual: string,
  ) => {
    name: VerdictSign;
    title: string;
    detail: string;
    link: { label: string; filter: string };
    log?: string;
  },
): Advisory[] {
  const key = THRESHOLDS[id].metric;
  const bounds = evidence.thresholds[id];
  const samples = samplesOf(evidence, key);
  const share = mean(valuesOf(samples.slice(-LEVEL_STEPS)));
  const level = levelAbove(bounds, share);
  if (level === null) return [];
  const streak = newestBadRun(samples, (value) => levelAbove(bounds, value) !== null);
  // The mean is over the bound only where a step is. It is one of those that is opened: the newest may have nothing to show.
  const worst = streak.at(-1);
  const lasts = worst === samples.at(-1);
  const since = lasts ? beginOf(streak, samples) : null;
  const bound = firstBound(bounds);
  const { name, title, detail, link, log } = say(percentBeside(bound, share), percent(bound));
  const step = since ?? worst;
  const filter = step ? `${link.filter} and step = ${step.step}` : link.filter;
  return [
    advise({
      ...{ id: name, level, title, detail, key, since, log },
      at: worst,
      links: [rolloutsLink(link.label, filter)],
    }),
  ];
}

/** ` Most often SandboxLostError (12), AgentTimeoutError (3).` over the last steps that have any. */
export function countsOf({ signals }: RunEvidence, prefix: string, words: string): string {
  const newest = Math.max(
    ...[...signals].flatMap(([key, points]) =>
      key.startsWith(prefix) ? (points.step.at(-1) ?? -1) : [],
    ),
  );
  const counts = [...signals].flatMap(([key, { step, value }]) => {
    if (!key.startsWith(prefix)) return [];
    const recent = value.filter((_, i) => (step[i] ?? -1) > newest - LEVEL_STEPS);
    const count = recent.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    return count > 0 ? [{ name: key.slice(prefix.length), count }] : [];
  });
  if (counts.length === 0) return "";
  const named = counts
    .sort((a, b) => b.count - a.count)
    .slice(0, 3)
    .map(({ name, count }) => `${name} (${count})`);
  return ` ${words} ${named.join(", ")}.`;
}

function judgeRouting(evidence: RunEvidence): Advisory[] {
  const key = COMPUTED_KEYS.routingCoverage;
  const last = samplesOf(evidence, key).at(-1);
  if (!last || last.value === 1) return [];
  return [
    advise({
      id: "routing-coverage",
      level: "warn",
      title: "Router replay misses tokens",
      detail: `The engine told the experts of ${Math.floor(last.value * 100)} % of the last step's trained tokens: rollouts without them are dropped.`,
      key,
      at: last,
    }),
  ];
}

/** More deaths than this within the judged steps are an alarm. */
const FEW_CRASHES = 3;

function judgeCrashes(evidence: RunEvidence): Advisory[] {
  const { crashes } = evidence;
  const last = crashes.at(-1);
  if (!last) return [];
  const sinceMs = windowBeganMs(evidence);
  const recent = crashes.filter(({ atMs }) => atMs >= sinceMs).length;
  const where = last.step === null ? "" : ` after step ${last.step}`;
  const isRecent = recent > 0;
  return [
    {
      ...advise({
        id: "crashes",
        ...(isRecent
          ? { level: recent > FEW_CRASHES ? "bad" : "warn", title: `The trainer died${where}` }
          : {
              level: "ok",
              tier: "advice",
              title: `The trainer died${where}, and has gone on since`,
            }),
        detail: isRecent
          ? `It died ${plural(recent, "time")} within the last ${WINDOW} steps and went on from its newest checkpoint. The log of that second says why.`
          : `It died ${plural(crashes.length, "time")} in all, and not within the last ${WINDOW} steps.`,
        links: [
          ...(last.step === null
            ? []
            : [{ label: `Step ${last.step}`, href: `steps/${last.step}` }]),
          logLinkOf({ wallMs: last.atMs }, "trainer"),
          { label: "Events", href: "events" },
        ],
      }),
      sinceStep: last.step,
    },
  ];
}

/** When the oldest of the newest steps was logged, of whichever attempt; it is long ago where nothing was. */
function windowBeganMs({ signals }: RunEvidence): number {
  const newest = Math.max(...[...signals.values()].map(({ step }) => step.at(-1) ?? 0));
  const times = [...signals.values()].map(({ step, wallMs }) => {
    const from = step.findIndex((one) => one > newest - WINDOW);
    return from === -1 ? Number.POSITIVE_INFINITY : (wallMs[from] ?? Number.POSITIVE_INFINITY);
  });
  const began = Math.min(...times);
  return newest < WINDOW || !Number.isFinite(began) ? 0 : began;
}
