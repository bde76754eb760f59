import type { Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { also } from "#commands/also.ts";
import { whole } from "#commands/parse-number.ts";
import { CliError, EXIT } from "#exit-code.ts";
import type { Result } from "#output/io.ts";

/** What a person writes at a step of a run, which every chart shows, and the tags of runs. */
export function addAnnotateCommands(program: Command, act: Act): void {
  program
    .command("annotate")
    .description("Write a note at a step: every chart of the run shows it.")
    .argument("<run>", "its id")
    .argument("<step>", "where", whole())
    .argument("<text>", "what there is to say")
    .action(act(annotate));
  program
    .command("unannotate")
    .description("Delete a note that was written at a step.")
    .argument("<run>", "its id")
    .argument("<event>", "the note's id, as `events` shows it", whole(1))
    .action(act(unannotate));
  program
    .command("tag")
    .description("Add tags to runs, or take them away; `runs --filter 'tag = word'` finds them.")
    .argument("<run...>", "their ids")
    .option("--add <tag>", "this one; may be given again", also, [])
    .option("--remove <tag>", "this one; may be given again", also, [])
    .action(act(tag));
}

async function annotate({ api }: Cli, id: string, step: number, text: string): Promise<Result> {
  await api.post("run.annotate", { id, step, text });
  return { answer: { id, step, text }, lines: [`noted at step ${step} of ${id}`] };
}

async function unannotate({ api }: Cli, id: string, eventId: number): Promise<Result> {
  await api.post("run.deleteAnnotation", { id, eventId });
  return { answer: { id, eventId }, lines: [`note ${eventId} of ${id} is deleted`] };
}

async function tag(
  { api }: Cli,
  ids: string[],
  { add, remove }: { add: string[]; remove: string[] },
): Promise<Result> {
  if (add.length + remove.length === 0)
    throw new CliError(EXIT.usage, "Give tags with --add or --remove.");
  const answer = await api.post("run.tag", { ids, add, remove });
  return {
    answer,
    lines: [answer.changed === 1 ? "1 run changed" : `${answer.changed} runs changed`],
  };
}
