import type { RolloutMode } from "@liverl/contract/rollout";
import type { RunDetail } from "@liverl/contract/run";
import { changeOf, RUN_FINALS, type RunFinal } from "@liverl/contract/run-finals";
import { sharedTasks } from "@liverl/contract/shared-tasks";
import { type Command, Option } from "commander";
import type { Act, Cli } from "#cli.ts";
import { formatTable } from "#output/format-table.ts";
import { duration, number, percent } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

export function addCompareCommand(program: Command, act: Act): void {
  program
    .command("compare")
    .description("Set where two runs stand side by side, or the tasks that both tried.")
    .argument("<run>", "its id: what the other is compared with")
    .argument("<other>", "its id")
    .option("--pairs", "tasks that both tried, those furthest apart first")
    .addOption(
      new Option("--mode <mode>", "with --pairs: of training, or of evaluations")
        .choices(["train", "eval"])
        .default("train"),
    )
    .action(act(compare));
}

async function compare(
  cli: Cli,
  a: string,
  b: string,
  { pairs, mode }: { pairs?: true; mode: RolloutMode },
): Promise<Result> {
  const runs = await Promise.all([a, b].map((id) => cli.api.get("run.get", { id })));
  if (pairs) return comparePairs(cli, [a, b], mode);
  return compareFinals(runs);
}

const signed = (value: number | null, write: (value: number | null) => string | null) =>
  value !== null && value > 0 ? `+${write(value)}` : write(value);

const FORMATS: Record<RunFinal["kind"], (value: number | null) => string | null> = {
  ...{ number, percent, duration, count: number },
  signed: (value) => signed(value, number),
};

const CHANGES: Record<RunFinal["differs"], (value: number | null) => string | null> = {
  score: FORMATS.signed,
  share: (value) => (value === null ? null : `${FORMATS.signed(100 * value)} pt`),
  // Of twice as much or more the multiple, as the page has it.
  amount: (value) =>
    value === null || value < 1 ? signed(value, percent) : `×${number(value + 1)}`,
};

function compareFinals(runs: readonly RunDetail[]): Result {
  const finals = RUN_FINALS.map(({ label, kind, differs, of }) => {
    const [a = null, b = null] = runs.map(of);
    return { label, kind, differs, a, b, change: changeOf(differs, b, a) };
  }).filter(({ a, b }) => a !== null || b !== null);
  const lines = formatTable(finals, [
    { title: "WHAT", of: ({ label }) => label },
    { title: runs[0]?.id ?? "", of: ({ kind, a }) => FORMATS[kind](a), right: true },
    { title: runs[1]?.id ?? "", of: ({ kind, b }) => FORMATS[kind](b), right: true },
    { title: "CHANGE", of: ({ differs, change }) => CHANGES[differs](change), right: true },
  ]);
  return { answer: { runs: runs.map(({ id }) => id), finals }, lines };
}

async function comparePairs(
  { api }: Cli,
  [a, b]: [string, string],
  mode: RolloutMode,
): Promise<Result> {
  const [one, two] = await Promise.all([
    api.get("task.ofRun", { runId: a, mode }),
    api.get("task.ofRun", { runId: b, mode }),
  ]);
  const tasks = sharedTasks(one.rows, two.rows);
  const lines = formatTable(tasks, [
    { title: "TASK", of: ({ task }) => task },
    { title: a, of: (pair) => number(pair.a.mean), right: true },
    { title: b, of: (pair) => number(pair.b.mean), right: true },
    { title: "DIFFERENCE", of: ({ difference }) => FORMATS.signed(difference), right: true },
    { title: "ROLLOUTS", of: (pair) => `${pair.a.rollouts}, ${pair.b.rollouts}`, right: true },
  ]);
  return { answer: { runs: [a, b], mode, tasks }, lines };
}
