import type { RolloutMode } from "@liverl/contract/rollout";
import type { RunDetail } from "@liverl/contract/run";
import {
  changeOf,
  commonEnd,
  defaultFinalsAt,
  type FinalsAt,
  finalAt,
  finalKeys,
  RUN_FINALS,
  type RunFinal,
} from "@liverl/contract/run-finals";
import { sharedTasks } from "@liverl/contract/shared-tasks";
import { type Command, Option } from "commander";
import type { Act, Cli } from "#cli.ts";
import { CliError, EXIT } from "#exit-code.ts";
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
    .option(
      "--at <place>",
      "last (each run's own last step), step (the last step both reached), time (the same since their first points), best, or a step number; default: step where the runs differ in length",
    )
    .action(act(compare));
}

async function compare(
  cli: Cli,
  a: string,
  b: string,
  { pairs, mode, at }: { pairs?: true; mode: RolloutMode; at?: string },
): Promise<Result> {
  const runs = await Promise.all([a, b].map((id) => cli.api.get("run.get", { id })));
  if (pairs) return comparePairs(cli, [a, b], mode);
  return compareFinals(cli, runs, at);
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

const BUCKETS = 4_000;

async function compareFinals(
  { api }: Cli,
  runs: readonly RunDetail[],
  wanted: string | undefined,
): Promise<Result> {
  const series = await Promise.all(
    runs.map(async ({ id }) => {
      const { keys } = await api.get("metric.keys", { runId: id });
      const read = finalKeys(keys.map(({ key }) => key));
      if (read.length === 0) return [];
      return (await api.get("metric.series", { runId: id, keys: read, buckets: BUCKETS })).series;
    }),
  );
  const common = commonEnd(series);
  const at = placeOf(wanted, common) ?? defaultFinalsAt(runs, common);
  const finals = RUN_FINALS.map((final) => {
    const { label, kind, differs } = final;
    const [a = null, b = null] = runs.map((run, place) =>
      finalAt(run, final, series[place] ?? [], at),
    );
    return {
      ...{ label, kind, differs, a: a?.value ?? null, b: b?.value ?? null },
      ...{ aStep: a?.step ?? null, bStep: b?.step ?? null },
      change: changeOf(differs, b?.value ?? null, a?.value ?? null),
    };
  }).filter(({ a, b }) => a !== null || b !== null);
  const figure = (kind: RunFinal["kind"], value: number | null, step: number | null) =>
    value === null
      ? null
      : `${FORMATS[kind](value)}${step === null || (at.kind === "step" && at.step === step) ? "" : ` (step ${step})`}`;
  const lines = [
    `Compared ${describeAt(at)}`,
    ...formatTable(finals, [
      { title: "WHAT", of: ({ label }) => label },
      { title: runs[0]?.id ?? "", of: ({ kind, a, aStep }) => figure(kind, a, aStep), right: true },
      { title: runs[1]?.id ?? "", of: ({ kind, b, bStep }) => figure(kind, b, bStep), right: true },
      { title: "CHANGE", of: ({ differs, change }) => CHANGES[differs](change), right: true },
    ]),
  ];
  return { answer: { runs: runs.map(({ id }) => id), at, finals }, lines };
}

/** What `--at` asks for; null where it is left out. */
function placeOf(
  wanted: string | undefined,
  common: { step: number; seconds: number } | null,
): FinalsAt | null {
  if (wanted === undefined) return null;
  if (wanted === "last" || wanted === "best") return { kind: wanted };
  if (/^\d{1,9}$/.test(wanted)) return { kind: "step", step: Number(wanted) };
  if (wanted !== "step" && wanted !== "time")
    throw new CliError(EXIT.usage, `--at ${wanted}: give last, step, time, best or a step number.`);
  if (common === null)
    throw new CliError(EXIT.usage, "One of the runs has no points yet: use --at last.");
  return wanted === "step"
    ? { kind: "step", step: common.step }
    : { kind: "time", seconds: common.seconds };
}

function describeAt(at: FinalsAt): string {
  switch (at.kind) {
    case "last":
      return "at the last step of each run";
    case "best":
      return "at the best step of each run";
    case "step":
      return `at step ${at.step}`;
    case "time":
      return `${duration(at.seconds)} after the first point of each run`;
  }
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
