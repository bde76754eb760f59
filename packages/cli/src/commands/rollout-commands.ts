import { STAGE_WORDS } from "@liverl/contract/live-rollout";
import type { RolloutMode } from "@liverl/contract/rollout";
import { describeTraining } from "@liverl/contract/rollout-training";
import { describeUntrained } from "@liverl/contract/untrained-tokens";
import type { GroupRow, LiveState, RolloutRow, StepView } from "@liverl/contract/views";
import { type Command, Option } from "commander";
import type { Act, Cli } from "#cli.ts";
import { addNoteCommands } from "#commands/note-commands.ts";
import { whole } from "#commands/parse-number.ts";
import { formatTable } from "#output/format-table.ts";
import { duration, number, span } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

const modeOption = () =>
  new Option("--mode <mode>", "rollouts of training, or of evaluations").choices(["train", "eval"]);

/** Steps, groups and rollouts of a run. */
export function addRolloutCommands(program: Command, act: Act): void {
  program
    .command("steps")
    .description("List a run's steps, or show one: its headline numbers and groups.")
    .argument("<run>", "its id")
    .argument("[step]", "which", whole())
    .addOption(modeOption().default("train"))
    .action(act(showSteps));
  program
    .command("groups")
    .description("List the groups of a step, or show one with its rollouts.")
    .argument("<run>", "its id")
    .argument("[group]", "its id")
    .option("--step <step>", "which step; without it, the newest", whole())
    .addOption(modeOption().default("train"))
    .action(act(showGroups));
  const rollouts = program
    .command("rollouts")
    .description("List a run's rollouts, tag or note them, or download them.");
  rollouts
    .command("list", { isDefault: true })
    .description("Newest step first.")
    .argument("<run>", "its id")
    .option("-f, --filter <text>", "that it lets through: reward < 0.5 and step in 100..120")
    .option("--sort <field>", "by this field; -field for the largest first")
    .option("-n, --limit <count>", "at most so many", whole(1), 50)
    .option("--cursor <cursor>", "go on where an answer ended")
    .action(act(listRollouts));
  rollouts
    .command("cancel")
    .description(
      "End a rollout that runs or waits as cancelled, without a reward: for one that is stuck.",
    )
    .argument("<rollout>", "rollout ID")
    .action(act(cancelRollout));
  addNoteCommands(rollouts, act);
}

async function showSteps(
  { api }: Cli,
  runId: string,
  step: number | undefined,
  { mode }: { mode: RolloutMode },
): Promise<Result> {
  if (step === undefined) {
    const answer = await api.get("step.list", { runId, mode });
    return { answer, lines: [answer.steps.join(" ") || `${runId} has no steps yet`] };
  }
  const answer = await api.get("step.get", { runId, step, mode });
  return { answer, lines: [...describeStep(answer), "", ...groupTable(answer.groups)] };
}

function describeStep(view: StepView) {
  const { step, firstStep, lastStep, versionSpan, headlines, pending } = view;
  const versions = versionSpan ? `, weight versions ${versionSpan.join(" to ")}` : "";
  return [
    `step ${step} of ${firstStep} to ${lastStep}${versions}${pending > 0 ? `, ${pending} rollouts open` : ""}`,
    ...[describeUntrained(view.untrained)].filter((line) => line !== null),
    ...formatTable(headlines, [
      { title: "WHAT", of: ({ label }) => label },
      { title: "VALUE", of: ({ value }) => number(value), right: true },
      { title: "BEFORE", of: ({ previous }) => number(previous), right: true },
    ]),
  ];
}

async function showGroups(
  { api }: Cli,
  runId: string,
  groupId: string | undefined,
  { step, mode }: { step?: number; mode: RolloutMode },
): Promise<Result> {
  if (groupId !== undefined) {
    const answer = await api.get("group.get", { runId, groupId });
    return {
      answer,
      lines: [...groupTable([answer.group]), "", ...rolloutTable(answer.group.rollouts)],
    };
  }
  const newest = step ?? (await api.get("step.list", { runId, mode })).steps.at(-1);
  if (newest === undefined) return { answer: { groups: [] }, lines: [`${runId} has no steps yet`] };
  const { groups } = await api.get("step.get", { runId, step: newest, mode });
  return { answer: { step: newest, groups }, lines: groupTable(groups) };
}

const groupTable = (groups: readonly GroupRow[]) =>
  formatTable(groups, [
    { title: "GROUP", of: ({ groupId }) => groupId },
    { title: "TASK", of: ({ taskName }) => taskName },
    { title: "ROLLOUTS", of: ({ rollouts }) => rollouts.length, right: true },
    { title: "MEAN", of: ({ mean }) => number(mean), right: true },
    { title: "STD", of: ({ std }) => number(std), right: true },
    { title: "SOLVED", of: ({ solved }) => solved },
  ]);

async function cancelRollout({ api }: Cli, rolloutId: string): Promise<Result> {
  const answer = await api.post("rollout.cancel", { rolloutId });
  return { answer, lines: [`${rolloutId} is cancelled`] };
}

interface RolloutFlags {
  filter?: string;
  sort?: string;
  limit: number;
  cursor?: string;
}

async function listRollouts(
  { api }: Cli,
  runId: string,
  { filter: f, ...flags }: RolloutFlags,
): Promise<Result> {
  const answer = await api.get("rollout.list", { runId, f, ...flags });
  const { rollouts, nextCursor, total, hasMoreThanTotal } = answer;
  const all = total === null ? "" : `${hasMoreThanTotal ? "more than " : ""}${total} in all; `;
  const more = nextCursor ? [`${all}--cursor ${nextCursor} goes on`] : [];
  return { answer, lines: [...rolloutTable(rollouts), ...more] };
}

const isOpen = ({ status }: RolloutRow) => status === "queued" || status === "running";

/** Of rollouts that have not ended: what they do now, and for how long they gave no sign of life. */
const LIVE_COLUMNS = [
  { title: "STAGE", of: ({ live }: RolloutRow) => live && STAGE_WORDS[live.stage] },
  { title: "IDLE", of: ({ live }: RolloutRow) => live && idleWords(live) },
];

function idleWords({ isStuck, usualS, lastSignAt }: LiveState): string | null {
  const idle = duration(span(lastSignAt, null));
  if (!isStuck) return idle;
  return `${idle}, stuck${usualS === null ? "" : ` (usual ${duration(usualS)})`}`;
}

const rolloutTable = (rollouts: readonly RolloutRow[]) =>
  formatTable(rollouts, [
    { title: "ROLLOUT", of: ({ rolloutId }) => rolloutId },
    { title: "STEP", of: ({ step }) => step, right: true },
    { title: "TASK", of: ({ taskName }) => taskName },
    { title: "STATUS", of: ({ status }) => status },
    { title: "REWARD", of: ({ reward }) => number(reward), right: true },
    { title: "ADVANTAGE", of: ({ advantage }) => number(advantage), right: true },
    { title: "TRAINING", of: ({ training }) => describeTraining(training) },
    { title: "TURNS", of: ({ turns }) => turns, right: true },
    { title: "TOKENS", of: ({ tokensSampled }) => tokensSampled, right: true },
    ...(rollouts.some(isOpen) ? LIVE_COLUMNS : []),
    { title: "ENDED BY", of: ({ error, termination }) => error?.exception_type ?? termination },
    { title: "SIGNS", of: ({ integrityKinds }) => integrityKinds.join(", ") },
  ]);
