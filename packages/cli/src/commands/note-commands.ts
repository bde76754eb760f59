import { type Command, Option } from "commander";
import type { Act, Cli } from "#cli.ts";
import { saveBody } from "#client/save-body.ts";
import { also } from "#commands/also.ts";
import { CliError, EXIT } from "#exit-code.ts";
import { bytes } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

const FORMATS = ["jsonl", "parquet", "atif.jsonl"];

/** What is done with many rollouts at once, or with one: tags, a note, a download. */
export function addNoteCommands(rollouts: Command, act: Act): void {
  const chosen = (command: Command) =>
    command
      .argument("<run>", "its id")
      .option("-f, --filter <text>", "those that it lets through")
      .option("--rollout <id>", "this one; may be given again", also);
  chosen(rollouts.command("tag"))
    .description("Add tags to rollouts, or take them away.")
    .option("--add <tag>", "this one; may be given again", also, [])
    .option("--remove <tag>", "this one; may be given again", also, [])
    .action(act(tag));
  rollouts
    .command("note")
    .description("Write what there is to say of a rollout; an empty text deletes it.")
    .argument("<rollout>", "its id")
    .argument("<text>", "the note")
    .action(act(note));
  chosen(rollouts.command("export"))
    .description("Download rollouts as one file.")
    .requiredOption("-o, --output <file>", "where to")
    .addOption(
      new Option("--format <format>", "a row a rollout, or a trajectory a line in Harbor's format")
        .choices(FORMATS)
        .default("jsonl"),
    )
    .action(act(download));
}

interface Chosen {
  filter?: string;
  rollout?: string[];
}

async function tag(
  { api }: Cli,
  runId: string,
  { filter: f, rollout: ids, add, remove }: Chosen & { add: string[]; remove: string[] },
): Promise<Result> {
  if (add.length + remove.length === 0)
    throw new CliError(EXIT.usage, "Give tags with --add or --remove.");
  if (f === undefined && ids === undefined)
    throw new CliError(
      EXIT.usage,
      "Say which rollouts: --filter or --rollout. `--filter ''` is all of the run.",
    );
  const answer = await api.post("rollout.tag", { runId, ids, f, add, remove });
  return { answer, lines: [`${answer.changed} rollouts changed`] };
}

async function note({ api }: Cli, rolloutId: string, text: string): Promise<Result> {
  await api.post("rollout.note", { rolloutId, note: text });
  const done = text.trim() === "" ? "has no note any more" : "is noted";
  return { answer: { rolloutId, note: text }, lines: [`${rolloutId} ${done}`] };
}

async function download(
  { api, signal }: Cli,
  runId: string,
  { filter, rollout, output, format }: Chosen & { output: string; format: string },
): Promise<Result> {
  const query = new URLSearchParams({
    ...(filter && { f: filter }),
    ...(rollout && { ids: rollout.join(",") }),
  });
  const path = `/api/v1/runs/${encodeURIComponent(runId)}/rollouts.${format}?${query}`;
  const sizeBytes = await saveBody(await api.open("GET", path, undefined, signal), output);
  return {
    answer: { path: output, sizeBytes },
    lines: [`${bytes(sizeBytes)} written to ${output}`],
  };
}
