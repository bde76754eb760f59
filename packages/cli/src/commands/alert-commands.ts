import { AlertList, ReceiverFormat } from "@liverl/contract/alert";
import { type Command, Option } from "commander";
import type { Act, Cli } from "#cli.ts";
import { whole } from "#commands/parse-number.ts";
import { addRuleCommands } from "#commands/rule-commands.ts";
import { EXIT } from "#exit-code.ts";
import { formatTable } from "#output/format-table.ts";
import { number, time } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";
import { readText } from "#specs/read-spec.ts";

interface Of {
  project: string;
}

/** What fires, by which rules, and who is told. */
export function addAlertCommands(program: Command, act: Act): void {
  const alerts = program
    .command("alerts")
    .description("Alerts of a project: what fired, rules, silences and receivers.");
  const ofProject = (name: string, description: string) =>
    alerts
      .command(name)
      .description(description)
      .requiredOption("-p, --project <name>", "of this project");
  const ofOne = (name: string, description: string) =>
    ofProject(name, description).argument("<id>", "as the list shows it");
  alerts
    .command("list", { isDefault: true })
    .description("What fired, newest first.")
    .requiredOption("-p, --project <name>", "of this project")
    .addOption(new Option("--view <view>", "which").choices(AlertList.options).default("open"))
    .action(act(list));
  ofProject("dismiss", "Put one firing aside; its rule fires again only after it was over.")
    .argument("<id>", "as the list shows it", whole(1))
    .action(act(dismiss));
  addRuleCommands(alerts, act);
  ofProject("silences", "Silences that hold now.").action(act(silences));
  ofProject("silence", "Tell nobody of a rule, a run, or the whole project for some time.")
    .requiredOption("--minutes <count>", "so long", whole(1))
    .requiredOption("--reason <text>", "why: others will wonder")
    .option("--rule <id>", "of this rule alone")
    .option("--run <run>", "of this run alone")
    .action(act(silence));
  ofOne("end-silence", "End a silence now: people are told of what is still open.").action(
    act(endSilence),
  );
  ofProject("receivers", "Webhooks that alerts are sent to.").action(act(receivers));
  ofProject("add-receiver", "Send the project's alerts to a webhook.")
    .argument("<name>", "its name")
    .argument("<url>", "its address, which is a secret; - reads it from stdin")
    .addOption(
      new Option("--format <format>", "of what is sent")
        .choices(ReceiverFormat.options)
        .default("json"),
    )
    .action(act(addReceiver));
  ofOne("remove-receiver", "Delete a webhook.").action(act(removeReceiver));
  ofOne("test-receiver", "Send a test now: exit 1 when it does not arrive.").action(
    act(testReceiver),
  );
}

async function list({ api }: Cli, { project, view }: Of & { view: AlertList }): Promise<Result> {
  const answer = await api.get("alert.list", { project, view });
  const lines = formatTable(answer.alerts, [
    { title: "ALERT", of: ({ id }) => id, right: true },
    { title: "FIRED", of: ({ firedAt }) => time(firedAt) },
    { title: "LEVEL", of: ({ level }) => level },
    { title: "RUN", of: ({ run }) => run.id },
    { title: "STEP", of: ({ step }) => step, right: true },
    { title: "RULE", of: ({ ruleName }) => ruleName },
    { title: "WHAT", of: ({ title }) => title },
    { title: "VALUE", of: ({ value }) => number(value), right: true },
    { title: "OVER", of: ({ resolvedAt }) => time(resolvedAt) },
  ]);
  return { answer, lines: [...lines, `${answer.open} open, ${answer.silenced} silenced`] };
}

async function dismiss({ api }: Cli, id: number, { project }: Of): Promise<Result> {
  await api.post("alert.dismiss", { project, id });
  return { answer: { id }, lines: [`alert ${id} is dismissed`] };
}

async function silences({ api }: Cli, { project }: Of): Promise<Result> {
  const answer = await api.get("alert.silences", { project });
  const lines = formatTable(answer.silences, [
    { title: "SILENCE", of: ({ id }) => id },
    { title: "UNTIL", of: ({ until }) => time(until) },
    { title: "RULE", of: ({ ruleName }) => ruleName ?? "every rule" },
    { title: "RUN", of: ({ runId }) => runId ?? "every run" },
    { title: "BY", of: ({ actor }) => actor },
    { title: "WHY", of: ({ reason }) => reason },
  ]);
  return { answer, lines };
}

async function silence(
  { api }: Cli,
  {
    rule: ruleId,
    run: runId,
    ...given
  }: Of & { minutes: number; reason: string; rule?: string; run?: string },
): Promise<Result> {
  const answer = await api.post("alert.silence", { ...given, ruleId, runId });
  return { answer, lines: [answer.id] };
}

async function endSilence({ api }: Cli, id: string, { project }: Of): Promise<Result> {
  await api.post("alert.endSilence", { project, id });
  return { answer: { id }, lines: [`silence ${id} is over`] };
}

async function receivers({ api }: Cli, { project }: Of): Promise<Result> {
  const answer = await api.get("alert.receivers", { project });
  const lines = formatTable(answer.receivers, [
    { title: "RECEIVER", of: ({ id }) => id },
    { title: "NAME", of: ({ name }) => name },
    { title: "FORMAT", of: ({ format }) => format },
    { title: "HOST", of: ({ host }) => host },
    { title: "LAST", of: ({ last }) => last && `${last.event} ${last.status}` },
    { title: "FAULT", of: ({ fault, last }) => fault ?? last?.error },
  ]);
  return { answer, lines };
}

async function addReceiver(
  { api }: Cli,
  name: string,
  url: string,
  { project, format }: Of & { format: "json" | "slack" },
): Promise<Result> {
  const answer = await api.post("alert.addReceiver", {
    ...{ project, name, format },
    url: url === "-" ? (await readText(url)).trim() : url,
  });
  return { answer, lines: [answer.id] };
}

async function removeReceiver({ api }: Cli, id: string, { project }: Of): Promise<Result> {
  await api.post("alert.removeReceiver", { project, id });
  return { answer: { id }, lines: [`receiver ${id} is removed`] };
}

async function testReceiver({ api }: Cli, id: string, { project }: Of): Promise<Result> {
  const answer = await api.post("alert.testReceiver", { project, id });
  const { receiver, status, error } = answer;
  const isDelivered = status === "delivered";
  return {
    answer,
    lines: [`${receiver}: ${status}${error ? `, ${error}` : ""}`],
    exit: isDelivered ? EXIT.ok : EXIT.no,
  };
}
