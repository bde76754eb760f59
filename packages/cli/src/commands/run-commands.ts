import type { RunStatus } from "@liverl/contract/run";
import type { Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { hours, money } from "#commands/describe-cost.ts";
import { describeRun } from "#commands/describe-run.ts";
import { describeVerdict } from "#commands/describe-verdict.ts";
import { whole } from "#commands/parse-number.ts";
import { waitForRun } from "#commands/wait-for-run.ts";
import { EXIT } from "#exit-code.ts";
import { formatTable } from "#output/format-table.ts";
import { number, percent, time } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

/** What is seen of runs. */
export function addRunCommands(program: Command, act: Act): void {
  program
    .command("runs")
    .description("List runs, newest first unless sorted otherwise.")
    .option("-p, --project <name>", "of this project alone")
    .option("-s, --status <status...>", "in these states: running, failed, …")
    .option("-f, --filter <text>", "that it lets through: status = failed and name ~ async")
    .option("--look", "that want a look: failed, or at work with a mark that is not green")
    .option("--sort <field>", "by this field; -field for the largest first")
    .option("-n, --limit <count>", "the first so many, at most 1,000", whole(1), 100)
    .option("--cursor <cursor>", "go on where an answer ended")
    .action(act(listRuns));
  program
    .command("run")
    .description("Show a run; with --wait, until it ends: exit 0 when it succeeded, else 1.")
    .argument("<run>", "its id")
    .option("-w, --wait", "wait for its end")
    .option("--timeout <seconds>", "wait no longer than that, and exit 1", whole(1))
    .action(act(showRun));
  program
    .command("verdict")
    .description("What a run's signals say, in words: exit 1 when it is degraded, stalled or down.")
    .argument("<run>", "its id")
    .action(act(showVerdict));
  program
    .command("events")
    .description("List what happened to a run, oldest first.")
    .argument("<run>", "its id")
    .option("-n, --limit <count>", "the newest so many", whole(1), 100)
    .action(act(listEvents));
}

interface ListFlags {
  project?: string;
  status?: RunStatus[];
  filter?: string;
  look?: boolean;
  sort?: string;
  limit: number;
  cursor?: string;
}

async function listRuns({ api }: Cli, { filter, ...flags }: ListFlags): Promise<Result> {
  const answer = await api.get("run.list", { ...flags, f: filter });
  const lines = formatTable(answer.runs, [
    { title: "RUN", of: (run) => run.id },
    { title: "PROJECT", of: (run) => run.project },
    { title: "STATUS", of: (run) => run.status },
    { title: "STEP", of: (run) => stepOf(run), right: true },
    { title: "REWARD", of: (run) => number(run.reward.last), right: true },
    { title: "HELD OUT", of: (run) => number(run.heldOutReward), right: true },
    { title: "MFU", of: (run) => percent(run.mfu), right: true },
    { title: "IDLE", of: (run) => percent(run.idleRatio), right: true },
    { title: "SPENT", of: (run) => hours(run.spent), right: true },
    { title: "MONEY", of: (run) => money(run.spent?.money), right: true },
    { title: "STARTED", of: (run) => time(run.startedAt) },
  ]);
  if (answer.nextCursor !== null)
    lines.push(
      `${answer.runs.length} of ${answer.total}: --limit for more, --cursor ${answer.nextCursor} goes on`,
    );
  return { answer, lines };
}

const stepOf = ({ step, plannedSteps }: { step: number; plannedSteps: number | null }) =>
  plannedSteps === null ? step : `${step}/${plannedSteps}`;

async function showRun(
  cli: Cli,
  id: string,
  { wait, timeout }: { wait?: boolean; timeout?: number },
): Promise<Result> {
  if (!wait) {
    const run = await cli.api.get("run.get", { id });
    return { answer: run, lines: describeRun(run) };
  }
  return waitForRun(cli, id, timeout);
}

async function showVerdict({ api }: Cli, id: string): Promise<Result> {
  const { verdict } = await api.get("run.get", { id });
  const isFine = verdict.word === "Healthy" || verdict.word === "Unknown";
  return { answer: verdict, lines: describeVerdict(verdict), exit: isFine ? EXIT.ok : EXIT.no };
}

async function listEvents({ api }: Cli, id: string, { limit }: { limit: number }): Promise<Result> {
  const answer = await api.get("run.events", { id, limit });
  const lines = formatTable(answer.events, [
    { title: "ID", of: (event) => event.id, right: true },
    { title: "AT", of: ({ at }) => time(at) },
    { title: "STEP", of: ({ step }) => step, right: true },
    { title: "KIND", of: ({ kind }) => kind },
    { title: "BY", of: ({ actor }) => actor },
    { title: "WHAT", of: ({ message }) => message },
  ]);
  return { answer, lines };
}
