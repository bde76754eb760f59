import { type RunDetail, staleAgeS } from "@liverl/contract/run";
import { describeUntrained } from "@liverl/contract/untrained-tokens";
import { describeCost } from "#commands/describe-cost.ts";
import { describeEarlier } from "#commands/describe-verdict.ts";
import { formatTable } from "#output/format-table.ts";
import { duration, number, percent, span, time } from "#output/format-value.ts";

/** A run on a screen. */
export function describeRun(run: RunDetail): string[] {
  return [
    `${run.project}/${run.name} (${run.id}): ${run.status}${reasonOf(run)}`,
    `${run.verdict.word}: ${run.verdict.sentence}`,
    ...run.verdict.advisories.map(({ level, title, detail }) => `  ${level}: ${title}. ${detail}`),
    ...describeEarlier(run.verdict).map((line) => `  ${line}`),
    ...causeOf(run),
    "",
    ...facts(run),
    ...bootOf(run),
    ...processesOf(run),
    "",
    ...actsOf(run),
  ];
}

const reasonOf = ({ statusReason }: RunDetail) => (statusReason ? ` (${statusReason})` : "");

/** The lines of the log that show why it failed; the cause itself is in the reason. */
function causeOf({ diagnosis }: RunDetail): string[] {
  if (diagnosis === null) return [];
  return diagnosis.evidence.map(
    ({ line, offset, text }) => `  log ${diagnosis.source}, line ${line} (byte ${offset}): ${text}`,
  );
}

function facts(run: RunDetail): string[] {
  const { active, cost, counts, parent } = run;
  const worked = active.seconds + (span(active.since, null) ?? 0);
  const rows: [string, string | null][] = [
    ["what", `${run.algorithm} on ${run.driver}`],
    ["step", `${run.step}${run.plannedSteps === null ? "" : ` of ${run.plannedSteps}`}`],
    ["reward", number(run.reward.last)],
    ["held out", number(run.heldOutReward)],
    ["MFU", percent(run.mfu)],
    ["trainer idle", percent(run.idleRatio)],
    ["step time", duration(run.stepTimeS)],
    ["newest data", describeNewest(run)],
    ["at work", duration(worked)],
    ["left", duration(run.etaS)],
    ...(cost ? describeCost(cost) : []),
    ["not trained", describeUntrained(run.untrained)],
    ["started", time(run.startedAt)],
    ["ended", time(run.endedAt)],
    ["forked from", parent && `${parent.id}, step ${parent.step} (${parent.how})`],
    [
      "has",
      `${counts.rollouts} rollouts, ${counts.checkpoints} checkpoints, ${counts.metrics} metrics`,
    ],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(13)}${value}`]));
}

/** `3 m 20 s ago, usual gap 48 s, stale`, of a running run. */
export function describeNewest(
  run: Pick<RunDetail, "status" | "lastPointAt" | "usualGapS">,
): string | null {
  if (run.status !== "running" || run.lastPointAt === null) return null;
  const gap = run.usualGapS === null ? "" : `, usual gap ${duration(run.usualGapS)}`;
  const isStale = staleAgeS(run, Date.now()) !== null;
  return `${duration(span(run.lastPointAt, null))} ago${gap}${isStale ? ", stale" : ""}`;
}

function bootOf({ status, boot }: RunDetail): string[] {
  if (status !== "queued" && status !== "booting") return [];
  const table = formatTable(boot, [
    { title: "BOOT PHASE", of: ({ label }) => label },
    { title: "STATE", of: (phase) => phase.status },
    { title: "TIME", of: (phase) => duration(span(phase.startedAt, phase.endedAt)), right: true },
    { title: "DETAIL", of: ({ detail }) => detail },
  ]);
  return ["", ...table];
}

function processesOf({ processes }: RunDetail): string[] {
  if (processes.length === 0) return [];
  const table = formatTable(processes, [
    { title: "PROCESS", of: ({ name }) => name },
    { title: "PID", of: ({ pid }) => pid, right: true },
    { title: "STATE", of: ({ status }) => status },
    { title: "RESTARTS", of: ({ restarts }) => restarts, right: true },
  ]);
  return ["", ...table];
}

function actsOf({ can }: RunDetail): string[] {
  const acts = Object.entries(can);
  const possible = acts.filter(([, may]) => may === true).map(([act]) => act);
  return [
    `can: ${possible.join(", ") || "nothing"}`,
    ...acts.flatMap(([act, why]) => (typeof why === "string" ? [`can not ${act}: ${why}`] : [])),
  ];
}
