import type { CleanPlan } from "@liverl/contract/clean-run";
import type { Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { whole } from "#commands/parse-number.ts";
import { CliError, EXIT } from "#exit-code.ts";
import { formatTable } from "#output/format-table.ts";
import { bytes } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

/** What is done to a run. */
export function addActCommands(program: Command, act: Act): void {
  const ofRun = (name: string, description: string) =>
    program.command(name).description(description).argument("<run>", "its id");
  ofRun("stop", "Stop a run after its step, with a checkpoint.").action(act(stop));
  ofRun("kill", "Stop a run at once.")
    .option("--abandon", "end it although its cluster does not say that the job is gone")
    .action(act(kill));
  ofRun("checkpoint", "Write a checkpoint at the end of the current step.").action(act(checkpoint));
  ofRun("resume", "Go on with an ended run from its newest complete checkpoint.")
    .option("--step <step>", "from the checkpoint of this step", whole())
    .action(act(resume));
  ofRun("clean", "End what is left of an ended run; on request delete its files.")
    .option("--logs", "delete what its processes printed")
    .option("--trials", "delete its trials' folders, with every token; rewards stay")
    .option("--pods", "remove pods of its sandboxes that no attempt owns")
    .option("--force", "also pods of this run that another LiveRL made")
    .option("--dry-run", "say what is there, and touch nothing")
    .action(act(clean));
  ofRun("delete", "Delete an ended run with all that is kept of it. There is no way back.")
    .option("--yes", "do it: without this it is only said what would go")
    .action(act(deleteRun));
  program
    .command("attach")
    .description(
      "Follow a metrics file, or a folder of TensorBoard's, as a run that is only watched.",
    )
    .argument("<path>", "absolute, on the machine that LiveRL runs on")
    .requiredOption("-p, --project <name>", "its project")
    .requiredOption("-n, --name <name>", "its name")
    .option("--tensorboard", "the path is a folder with event files")
    .action(act(attach));
}

async function stop({ api }: Cli, id: string): Promise<Result> {
  await api.post("run.stop", { id, when: "after-step" });
  return { answer: { id }, lines: [`${id} stops after its step`] };
}

async function kill({ api }: Cli, id: string, { abandon }: { abandon?: true }): Promise<Result> {
  await api.post("run.stop", { id, when: abandon ? "abandon" : "now" });
  return {
    answer: { id },
    lines: [abandon ? `the job of ${id} is given up` : `${id} is stopping`],
  };
}

async function checkpoint({ api }: Cli, id: string): Promise<Result> {
  await api.post("run.checkpoint", { id });
  return { answer: { id }, lines: [`${id} writes a checkpoint after its step`] };
}

async function resume({ api }: Cli, id: string, { step }: { step?: number }): Promise<Result> {
  await api.post("run.resume", { id, step });
  return { answer: { id }, lines: [`${id} is queued again`] };
}

interface CleanFlags {
  logs?: boolean;
  trials?: boolean;
  pods?: boolean;
  force?: boolean;
  dryRun?: boolean;
}

async function clean({ api }: Cli, id: string, { dryRun, ...what }: CleanFlags): Promise<Result> {
  if (dryRun) {
    const answer = await api.get("run.planClean", { id });
    return { answer, lines: describeClean(answer, what) };
  }
  const answer = await api.post("run.clean", { id, ...what });
  const { processes, pods, freedBytes } = answer;
  const removed = what.pods ? `, ${pods} pods removed` : "";
  return { answer, lines: [`${processes} processes ended, ${bytes(freedBytes)} freed${removed}`] };
}

async function deleteRun({ api }: Cli, id: string, { yes }: { yes?: true }): Promise<Result> {
  if (!yes) {
    const { name, project, counts } = await api.get("run.get", { id });
    const { rollouts, metrics, checkpoints } = counts;
    throw new CliError(
      EXIT.usage,
      `${id} (${name} of ${project}) has ${rollouts} rollouts, ${metrics} metrics and ${checkpoints} checkpoints. They go for good, with its logs and trials: say --yes to delete them, or keep it with \`liverl archive\` first.`,
    );
  }
  const answer = await api.post("run.delete", { id });
  return { answer: { id, ...answer }, lines: [`${id} deleted, ${bytes(answer.freedBytes)} freed`] };
}

/** What is there, and whether the flags would have it go. */
function describeClean(plan: CleanPlan, { logs, trials, pods, force }: CleanFlags): string[] {
  const [ours, others] = [
    plan.pods.filter(({ isOurs }) => isOurs),
    plan.pods.filter(({ isOurs }) => !isOurs),
  ];
  const size = ({ files, bytes: count }: CleanPlan["logs"]) => `${files} files, ${bytes(count)}`;
  const rows = [
    { what: "processes", goes: true, found: plan.processes.join(", ") || "none" },
    { what: "Hydra's leftovers", goes: true, found: size(plan.leftovers) },
    { what: "logs", goes: logs, found: size(plan.logs) },
    { what: "trials", goes: trials, found: size(plan.trials) },
    { what: "pods", goes: pods, found: plan.podsFault ?? String(ours.length) },
    {
      what: "pods of another LiveRL",
      goes: pods && force,
      found: plan.podsFault === null ? String(others.length) : null,
    },
  ];
  return formatTable(rows, [
    { title: "WHAT", of: (row) => row.what },
    { title: "GOES", of: ({ goes }) => (goes ? "yes" : "no") },
    { title: "FOUND", of: ({ found }) => found },
  ]);
}

async function attach(
  { api }: Cli,
  path: string,
  { project, name, tensorboard }: { project: string; name: string; tensorboard?: true },
): Promise<Result> {
  const source = tensorboard ? "tensorboard" : "file";
  const answer = await api.post("run.attach", { project, name, path, source });
  return { answer, lines: [`${answer.id} follows ${path}`] };
}
