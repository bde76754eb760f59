import { type Command, Option } from "commander";
import type { Act, Cli } from "#cli.ts";
import { formatTable } from "#output/format-table.ts";
import { time } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

type Target = "rollouts" | "runs";
interface Of {
  project: string;
  of: Target;
}

/** What a project keeps: filters by name, and views of the metrics page. */
export function addSavedCommands(program: Command, act: Act): void {
  const filters = program
    .command("filters")
    .description("List, save and delete the filters that a project keeps.");
  const ofFilters = (command: Command) =>
    command
      .requiredOption("-p, --project <name>", "of this project")
      .addOption(
        new Option("--of <what>", "what it filters")
          .choices(["rollouts", "runs"])
          .default("rollouts"),
      );
  ofFilters(filters.command("list", { isDefault: true }))
    .description("Saved filters by name.")
    .action(act(listFilters));
  ofFilters(filters.command("save"))
    .description("Save a filter under a name, in the place of one that has it.")
    .argument("<name>", "its name")
    .argument("<filter>", 'its text: "reward < 0.5 and turns > 20"')
    .action(act(saveFilter));
  ofFilters(filters.command("delete"))
    .description("Delete a saved filter.")
    .argument("<name>", "its name")
    .action(act(deleteFilter));
  const views = program
    .command("views")
    .description("List the views of a run's metrics page, or delete a saved one.");
  views
    .command("list", { isDefault: true })
    .description("Those that come with the run's preset, and those that people saved.")
    .argument("<run>", "its id")
    .action(act(listViews));
  views
    .command("delete")
    .description("Delete a saved view, for everybody.")
    .argument("<id>", "as the list shows it")
    .action(act(deleteView));
}

async function listFilters({ api }: Cli, { project, of: target }: Of): Promise<Result> {
  const answer = await api.get("filter.list", { project, target });
  const lines = formatTable(answer.filters, [
    { title: "NAME", of: ({ name }) => name },
    { title: "FILTER", of: ({ filter }) => filter },
  ]);
  return { answer, lines };
}

async function saveFilter(
  { api }: Cli,
  name: string,
  filter: string,
  { project, of: target }: Of,
): Promise<Result> {
  await api.post("filter.save", { project, target, name, filter });
  return { answer: { project, target, name, filter }, lines: [`${name} is saved`] };
}

async function deleteFilter(
  { api }: Cli,
  name: string,
  { project, of: target }: Of,
): Promise<Result> {
  await api.post("filter.delete", { project, target, name });
  return { answer: { project, target, name }, lines: [`${name} is deleted`] };
}

async function listViews({ api }: Cli, runId: string): Promise<Result> {
  const { project } = await api.get("run.get", { id: runId });
  const answer = await api.get("view.list", { project, runId });
  const rows = [
    ...answer.shipped.map(({ id, name }) => ({ id, name, author: "LiveRL", updatedAt: null })),
    ...answer.saved,
  ];
  const lines = formatTable(rows, [
    { title: "VIEW", of: ({ id }) => id },
    { title: "NAME", of: ({ name }) => name },
    { title: "BY", of: ({ author }) => author },
    { title: "SAVED", of: ({ updatedAt }) => time(updatedAt) },
  ]);
  return { answer, lines };
}

async function deleteView({ api }: Cli, id: string): Promise<Result> {
  await api.post("view.delete", { id });
  return { answer: { id }, lines: [`view ${id} is deleted`] };
}
