import { AlertLevel, type AlertRuleView, type SaveRule } from "@liverl/contract/alert";
import { describeCondition } from "@liverl/contract/describe-condition";
import { RunStatus, VerdictWord } from "@liverl/contract/run";
import { VerdictSign } from "@liverl/contract/verdict-sign";
import { type Command, Option } from "commander";
import type { Act, Cli } from "#cli.ts";
import { type ConditionFlags, parseCondition } from "#commands/parse-condition.ts";
import { real, whole } from "#commands/parse-number.ts";
import { CliError, EXIT } from "#exit-code.ts";
import { formatTable } from "#output/format-table.ts";
import type { Result } from "#output/io.ts";

interface RuleFlags extends ConditionFlags {
  project: string;
  name?: string;
  runs?: string;
  level?: AlertLevel;
  off?: true;
  on?: true;
}

/** Rules of alerts: when something fires. */
export function addRuleCommands(alerts: Command, act: Act): void {
  const ofProject = (name: string, description: string) =>
    alerts
      .command(name)
      .description(description)
      .requiredOption("-p, --project <name>", "of this project");
  ofProject("rules", "The rules of the project.").action(act(listRules));
  withCondition(ofProject("add-rule", "Watch the project's runs for something."))
    .argument("<name>", "what it is called")
    .action(act(addRule));
  withCondition(ofProject("change-rule", "Change a rule; what is not given stays."))
    .argument("<id>", "as the list shows it")
    .option("-n, --name <name>", "what it is called")
    .option("--on", "it watches again")
    .action(act(changeRule));
  ofProject("remove-rule", "Delete a rule and close its alerts.")
    .argument("<id>", "as the list shows it")
    .action(act(removeRule));
}

function withCondition(command: Command): Command {
  const oneOf = (flag: string, what: string, choices: readonly string[]) =>
    new Option(`--${flag} <${flag}...>`, what).choices(choices);
  return command
    .addOption(oneOf("sign", "fires when the verdict names one of these", VerdictSign.options))
    .addOption(oneOf("word", "fires when the verdict is one of these", VerdictWord.options))
    .addOption(oneOf("status", "fires when the run is one of these", RunStatus.options))
    .option("--metric <key>", "the metric that is watched")
    .option("--above <value>", "fires when its newest values are above", real)
    .option("--below <value>", "fires when its newest values are below", real)
    .option("--rises <percent>", "fires when its mean rises so much", real)
    .option("--falls <percent>", "fires when its mean falls so much", real)
    .option("--moves <percent>", "fires when its mean rises or falls so much", real)
    .option("--z <deviations>", "fires when it is so far from its median", real)
    .option("--steps <count>", "over so many steps", whole(1))
    .option("--runs <part>", "of runs whose name has this in it")
    .addOption(new Option("--level <level>", "how bad it is").choices(AlertLevel.options))
    .option("--off", "it is kept and does not watch");
}

async function listRules({ api }: Cli, { project }: { project: string }): Promise<Result> {
  const answer = await api.get("alert.rules", { project });
  const lines = formatTable(answer.rules, [
    { title: "RULE", of: ({ id }) => id },
    { title: "NAME", of: ({ name }) => name },
    { title: "LEVEL", of: ({ level }) => level },
    { title: "STATE", of: ({ enabled }) => (enabled ? "on" : "off") },
    { title: "RUNS", of: ({ runs }) => runs || "all" },
    { title: "OPEN", of: ({ open }) => open, right: true },
    { title: "WHEN", of: ({ condition }) => describeCondition(condition) },
  ]);
  return { answer, lines };
}

async function addRule({ api }: Cli, name: string, flags: RuleFlags): Promise<Result> {
  const condition = parseCondition(flags);
  if (condition === null)
    throw new CliError(EXIT.usage, "Say when it fires: --sign, --word, --status or --metric.");
  const { project, runs, level, off } = flags;
  const answer = await api.post("alert.saveRule", {
    ...{ project, name, condition, runs, level, enabled: off !== true },
  });
  return { answer, lines: [answer.id] };
}

async function changeRule({ api }: Cli, id: string, flags: RuleFlags): Promise<Result> {
  if (flags.on && flags.off) throw new CliError(EXIT.usage, "Give --on or --off, one of them.");
  const { project } = flags;
  const { rules } = await api.get("alert.rules", { project });
  const known = rules.find((one) => one.id === id);
  if (!known)
    throw new CliError(EXIT.notFound, `${project} has no rule ${id}: \`alerts rules\` lists them.`);
  const answer = await api.post("alert.saveRule", changed(known, flags));
  return { answer, lines: [`rule ${id} is changed`] };
}

function changed(known: AlertRuleView, flags: RuleFlags): SaveRule {
  const { id, project, name, runs, level, enabled, condition } = known;
  return {
    ...{ id, project },
    name: flags.name ?? name,
    runs: flags.runs ?? runs,
    level: flags.level ?? level,
    enabled: flags.off ? false : flags.on ? true : enabled,
    condition: parseCondition(flags) ?? condition,
  };
}

async function removeRule(
  { api }: Cli,
  id: string,
  { project }: { project: string },
): Promise<Result> {
  await api.post("alert.removeRule", { project, id });
  return { answer: { id }, lines: [`rule ${id} is removed`] };
}
