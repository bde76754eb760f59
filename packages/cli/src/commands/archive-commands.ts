import type { Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { saveBody } from "#client/save-body.ts";
import { sendFile } from "#client/send-file.ts";
import { bytes } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

export function addArchiveCommands(program: Command, act: Act): void {
  program
    .command("archive")
    .description("Download a run that has ended as one file: rows, metrics, trials and logs.")
    .argument("<run>", "its id")
    .requiredOption("-o, --output <file>", "where to, my-run-01.tar.gz")
    .option("--checkpoints", "with its checkpoints")
    .action(act(archive));
  program
    .command("import")
    .description("Put an archived run in as it was, ids and all.")
    .argument("<file>", "that `liverl archive` wrote")
    .action(act(importRun));
}

async function archive(
  { api, signal }: Cli,
  id: string,
  { output, checkpoints }: { output: string; checkpoints?: true },
): Promise<Result> {
  const path = `/api/v1/runs/${encodeURIComponent(id)}/archive.tar.gz?checkpoints=${checkpoints ?? false}`;
  const sizeBytes = await saveBody(await api.open("GET", path, undefined, signal), output);
  return {
    answer: { path: output, sizeBytes },
    lines: [`${bytes(sizeBytes)} written to ${output}`],
  };
}

async function importRun(cli: Cli, file: string): Promise<Result> {
  const response = await sendFile(cli, "/api/v1/runs/import", file);
  const answer = (await response.json()) as { id: string };
  return { answer, lines: [answer.id] };
}
