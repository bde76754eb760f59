import { THRESHOLDS, ThresholdId } from "@liverl/contract/threshold";
import { Argument, type Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { real } from "#commands/parse-number.ts";
import { CliError, EXIT } from "#exit-code.ts";
import { formatTable } from "#output/format-table.ts";
import { number } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

type Bound = number | null;
interface Of {
  project: string;
}

/** Bounds of the verdict, which a project may set. */
export function addThresholdCommands(program: Command, act: Act): void {
  const thresholds = program
    .command("thresholds")
    .description("List the bounds of the verdict, set those of a project, or take them back.");
  thresholds
    .command("list", { isDefault: true })
    .description("Every bound, its default and its source.")
    .requiredOption("-p, --project <name>", "of this project")
    .action(act(list));
  thresholds
    .command("set")
    .description("Set a project's own bounds; what is not given stays.")
    .addArgument(new Argument("<id>", "which sign").choices(ThresholdId.options))
    .requiredOption("-p, --project <name>", "of this project")
    .option("--warn <value>", "where it is a warning; none: never", bound)
    .option("--bad <value>", "where it is an alarm; none: never", bound)
    .action(act(set));
  thresholds
    .command("reset")
    .description("Take a project's own bounds of a sign back; without one, all of them.")
    .addArgument(new Argument("[id]", "which sign").choices(ThresholdId.options))
    .requiredOption("-p, --project <name>", "of this project")
    .action(act(reset));
}

const bound = (text: string): Bound => (text === "none" ? null : real(text));

async function list({ api }: Cli, { project }: Of): Promise<Result> {
  const answer = await api.get("threshold.list", { project });
  const lines = formatTable(answer.thresholds, [
    { title: "SIGN", of: ({ id }) => id },
    { title: "WARN", of: ({ warn }) => number(warn), right: true },
    { title: "BAD", of: ({ bad }) => number(bad), right: true },
    { title: "BAD IS", of: ({ id }) => THRESHOLDS[id].side },
    { title: "UNIT", of: ({ id }) => THRESHOLDS[id].unit },
    { title: "SET BY", of: ({ actor }) => actor },
    { title: "WHAT", of: ({ id }) => THRESHOLDS[id].label },
    { title: "SOURCE", of: ({ id }) => THRESHOLDS[id].source },
  ]);
  return { answer, lines };
}

async function set(
  { api }: Cli,
  id: ThresholdId,
  { project, ...given }: Of & { warn?: Bound; bad?: Bound },
): Promise<Result> {
  if (given.warn === undefined && given.bad === undefined)
    throw new CliError(EXIT.usage, "Give --warn or --bad: a number, or none.");
  const { thresholds } = await api.get("threshold.list", { project });
  const now = thresholds.find((one) => one.id === id);
  const { warn = now?.warn ?? null, bad = now?.bad ?? null } = given;
  await api.post("threshold.set", { project, id, warn, bad });
  const inWords = (value: Bound) => number(value) ?? "never";
  return {
    answer: { project, id, warn, bad },
    lines: [`${id}: warning at ${inWords(warn)}, alarm at ${inWords(bad)}`],
  };
}

async function reset({ api }: Cli, id: ThresholdId | undefined, { project }: Of): Promise<Result> {
  await api.post("threshold.reset", { project, id });
  const what = id ?? "every bound";
  return { answer: { project, id: id ?? null }, lines: [`${what} is the default again`] };
}
