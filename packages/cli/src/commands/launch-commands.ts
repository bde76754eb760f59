import { randomUUID } from "node:crypto";
import type { LaunchRun, PlanLaunchResult } from "@liverl/contract/launch";
import type { LaunchBase } from "@liverl/contract/run-config";
import { type Command, Option } from "commander";
import { stringify } from "yaml";
import type { Act, Cli } from "#cli.ts";
import { describePlan } from "#commands/describe-plan.ts";
import { describeReading } from "#commands/describe-reading.ts";
import { whole } from "#commands/parse-number.ts";
import { waitForRun } from "#commands/wait-for-run.ts";
import { CliError, EXIT } from "#exit-code.ts";
import { formatTable } from "#output/format-table.ts";
import type { Result } from "#output/io.ts";
import { readSpec, readText } from "#specs/read-spec.ts";
import { setValues } from "#specs/set-values.ts";

interface Flags {
  preset?: string;
  set: string[];
  environment?: string;
  choose: string[];
  var: string[];
  project?: string;
  name?: string;
  plan?: true;
  force?: true;
  wait?: true;
  key?: string;
}

/** How a run begins. */
export function addLaunchCommands(program: Command, act: Act): void {
  const launching = (command: Command) =>
    command
      .option("--environment <file>", "take over what a launch script says; - reads stdin")
      .option("--choose <place=option...>", "which way the script goes: --choose 12:4=2", [])
      .option("--var <name=value...>", "a variable of the script's shell: --var HOME=/home/me", [])
      .option("--set <path=value...>", "change a value: --set batch.n=8", [])
      .option("-p, --project <name>", "its project")
      .option("-n, --name <name>", "its name; without it, one that is free")
      .option("--plan", "say what it would do, and start nothing")
      .option("--force", "launch although the preflight refuses")
      .option("-w, --wait", "wait for its end: exit 0 when it succeeded, else 1")
      .option("--key <key>", "repeating a launch with the same key answers with the same run");
  launching(
    program
      .command("launch")
      .description("Launch a run from a spec or a preset, after its preflight.")
      .argument("[spec]", "file of a spec, YAML or JSON; - reads stdin")
      .option("--preset <id>", "start from this preset"),
  ).action(act(launch));
  launching(
    program
      .command("clone")
      .description("Launch a new run from the values of another.")
      .argument("<run>", "its id"),
  ).action(act(clone));
  launching(
    program
      .command("fork")
      .description("Launch a new run from a checkpoint of another.")
      .argument("<run>", "its id")
      .requiredOption("--step <step>", "whose checkpoint", whole())
      .addOption(
        new Option("--how <way>", "with the optimizer, or the weights alone")
          .choices(["resume", "weights"])
          .default("resume"),
      ),
  ).action(act(fork));
  program
    .command("presets")
    .description("List presets, or print the spec of one as YAML.")
    .argument("[preset]", "its id")
    .action(act(presets));
}

async function launch(cli: Cli, path: string | undefined, flags: Flags): Promise<Result> {
  if ((path === undefined) === (flags.preset === undefined))
    throw new CliError(EXIT.usage, "Give a spec's file or --preset, one of them.");
  if (path !== undefined) return begin(cli, await readSpec(path), flags);
  const preset = await findPreset(cli, flags.preset ?? "");
  const base = { kind: "preset", id: preset.id } as const;
  return begin(cli, await named(cli, preset.spec, flags), flags, base);
}

async function clone(cli: Cli, runId: string, flags: Flags): Promise<Result> {
  const spec = await cli.api.get("launch.specOf", { runId });
  return begin(cli, await named(cli, spec, flags), flags, { kind: "run", id: runId });
}

async function fork(
  cli: Cli,
  runId: string,
  { step, how, ...flags }: Flags & { step: number; how: "resume" | "weights" },
): Promise<Result> {
  const spec = await cli.api.get("launch.specOfFork", { runId, step, how });
  return begin(cli, await named(cli, spec, flags), flags, { kind: "run", id: runId });
}

/** A name that its project has not yet, where none was asked for. */
async function named(
  { api }: Cli,
  spec: { project: string; name: string },
  { project = spec.project, name }: Flags,
): Promise<object> {
  if (name !== undefined) return spec;
  return { ...spec, ...(await api.get("launch.suggestName", { project, base: spec.name })) };
}

async function begin(cli: Cli, given: object, flags: Flags, base?: LaunchBase): Promise<Result> {
  const { project, name, set, force, wait, key = `cli-${randomUUID()}` } = flags;
  const named = { ...given, ...(project && { project }), ...(name && { name }) };
  const spec = setValues(await withEnvironment(cli, named, flags), set);
  const planned = await cli.api.post("launch.plan", { spec });
  refuseFaults(planned);
  const lines = describePlan(planned);
  const isRefused = planned.preflight.some(({ status }) => status === "fail");
  if (flags.plan)
    return { answer: { spec, ...planned }, lines, exit: isRefused ? EXIT.no : EXIT.ok };
  if (isRefused && !force) {
    for (const { status, title, why } of planned.preflight)
      if (status === "fail") cli.io.say(`${title}: ${why}`);
    cli.io.say("The preflight refuses: mend what fails, or launch with --force.");
    return { answer: { spec, ...planned }, lines, exit: EXIT.no };
  }
  // Its shape was judged just now.
  const { id } = await cli.api.post("run.launch", {
    ...{ spec: spec as LaunchRun["spec"], idempotencyKey: key, base, force },
  });
  cli.io.say(`${id} is queued`);
  if (wait) return waitForRun(cli, id);
  return { answer: { id, preflight: planned.preflight }, lines: [id] };
}

/** The spec with what a launch script says; what is not taken over is said, and what is not known. */
async function withEnvironment(
  { api, io }: Cli,
  spec: object,
  { environment, choose, var: variables }: Flags,
): Promise<object> {
  if (environment === undefined) {
    if (choose.length > 0 || variables.length > 0)
      throw new CliError(EXIT.usage, "--choose and --var belong to --environment.");
    return spec;
  }
  const reading = await api.post("launch.readEnvironment", {
    text: await readText(environment),
    choices: Object.fromEntries(choose.map(readChoice)),
    variables: Object.fromEntries(variables.map((word) => splitPair(word, "--var"))),
  });
  for (const line of describeReading(reading)) io.say(line);
  const hasPlace = ({ path }: { path: string }) => (path.split(".")[0] ?? "") in spec;
  for (const value of reading.values)
    if (!hasPlace(value)) io.say(`${value.name}: this spec has no ${value.path}`);
  return setValues(
    spec,
    reading.values.filter(hasPlace).map(({ path, value }) => `${path}=${JSON.stringify(value)}`),
  );
}

function splitPair(word: string, flag: string): [name: string, value: string] {
  const at = word.indexOf("=");
  if (at < 1) throw new CliError(EXIT.usage, `${flag} ${word}: give name=value.`);
  return [word.slice(0, at), word.slice(at + 1)];
}

/** Options are counted from 1, as they are printed. */
function readChoice(word: string): [id: string, option: number] {
  const [id, option] = splitPair(word, "--choose");
  if (!/^[1-9]\d{0,2}$/.test(option))
    throw new CliError(EXIT.usage, `--choose ${word}: give the number of an option, from 1.`);
  return [id, Number(option) - 1];
}

function refuseFaults({ faults }: PlanLaunchResult): void {
  if (faults.length === 0) return;
  const told = faults.map(({ path, message }) => `  ${path || "spec"}: ${message}`);
  throw new CliError(EXIT.usage, ["This is no spec:", ...told].join("\n"));
}

async function findPreset({ api }: Cli, id: string) {
  const { presets } = await api.get("launch.presets", {});
  const preset = presets.find((one) => one.id === id);
  if (preset) return preset;
  const known = presets.map((one) => one.id).join(", ");
  throw new CliError(EXIT.notFound, `There is no preset ${id}; there are ${known}.`);
}

async function presets(cli: Cli, id: string | undefined): Promise<Result> {
  if (id !== undefined) {
    const answer = await findPreset(cli, id);
    return { answer, lines: [stringify(answer.spec).trimEnd()] };
  }
  const answer = await cli.api.get("launch.presets", {});
  const lines = formatTable(answer.presets, [
    { title: "PRESET", of: (preset) => preset.id },
    { title: "DRIVER", of: ({ spec }) => spec.driver },
    { title: "WHAT", of: ({ description }) => description },
  ]);
  return { answer, lines };
}
