import { CanonicalMetric } from "@liverl/contract/trainer-names";
import { Argument, type Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { formatTable } from "#output/format-table.ts";
import type { Result } from "#output/io.ts";

interface Of {
  project: string;
}

/** Under which keys a project's trainers log what verdicts are taken from. */
export function addMetricNameCommands(program: Command, act: Act): void {
  const names = program
    .command("metric-names")
    .description(
      "List the names of judged metrics, say which key is your reward, or take it back.",
    );
  names
    .command("list", { isDefault: true })
    .description(
      "Every judged metric, the key that the project chose, and the names that are known.",
    )
    .requiredOption("-p, --project <name>", "of this project")
    .action(act(list));
  names
    .command("set")
    .description("Judge runs of the project by this key.")
    .addArgument(new Argument("<metric>", "which metric").choices(CanonicalMetric.options))
    .argument("<key>", "as your trainer logs it: train/my_reward")
    .requiredOption("-p, --project <name>", "of this project")
    .action(act(set));
  names
    .command("reset")
    .description("Go back to the names that LiveRL knows.")
    .addArgument(new Argument("<metric>", "which metric").choices(CanonicalMetric.options))
    .requiredOption("-p, --project <name>", "of this project")
    .action(act(reset));
}

async function list({ api }: Cli, { project }: Of): Promise<Result> {
  const answer = await api.get("metric.names", { project });
  const lines = formatTable(answer.names, [
    { title: "METRIC", of: ({ metric }) => metric },
    { title: "KEY", of: ({ key }) => key },
    { title: "SET BY", of: ({ actor }) => actor },
    { title: "KNOWN NAMES", of: ({ known }) => known.join(", ") },
  ]);
  return { answer, lines };
}

async function set(
  { api }: Cli,
  metric: CanonicalMetric,
  key: string,
  { project }: Of,
): Promise<Result> {
  await api.post("metric.setName", { project, metric, key });
  return { answer: { project, metric, key }, lines: [`${metric} is ${key} in ${project}`] };
}

async function reset({ api }: Cli, metric: CanonicalMetric, { project }: Of): Promise<Result> {
  await api.post("metric.resetName", { project, metric });
  return { answer: { project, metric }, lines: [`${metric} has its known names again`] };
}
