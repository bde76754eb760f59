import type { Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { saveBody } from "#client/save-body.ts";
import { whole } from "#commands/parse-number.ts";
import { formatTable } from "#output/format-table.ts";
import { bytes, number, time } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

export function addCheckpointCommands(program: Command, act: Act): void {
  const checkpoints = program
    .command("checkpoints")
    .description("List a run's checkpoints, merge one into Hugging Face form, or download it.");
  checkpoints
    .command("list", { isDefault: true })
    .description("Newest first, with what can be done with each.")
    .argument("<run>", "its id")
    .action(act(list));
  const ofOne = (name: string, description: string) =>
    checkpoints
      .command(name)
      .description(description)
      .argument("<run>", "its id")
      .argument("<step>", "whose checkpoint", whole());
  ofOne("merge", "Merge a checkpoint's shards into one model in Hugging Face form.").action(
    act(merge),
  );
  ofOne("cancel-merge", "End a merge and delete what it wrote.").action(act(cancelMerge));
  ofOne("export", "Download a checkpoint as a tar with the digests of its files.")
    .requiredOption("-o, --output <file>", "where to")
    .action(act(download));
}

async function list({ api }: Cli, runId: string): Promise<Result> {
  const answer = await api.get("checkpoint.list", { runId });
  const lines = [
    ...formatTable(answer.checkpoints, [
      { title: "STEP", of: ({ step }) => step, right: true },
      { title: "WRITTEN", of: ({ writtenAt }) => time(writtenAt) },
      { title: "SIZE", of: ({ sizeBytes }) => bytes(sizeBytes), right: true },
      { title: "STATE", of: ({ onDisk, complete }) => stateOf(onDisk, complete) },
      { title: "REWARD", of: ({ reward }) => number(reward), right: true },
      { title: "HELD OUT", of: ({ heldOutReward }) => number(heldOutReward), right: true },
      { title: "MODEL", of: ({ hf, merge }) => (hf ? "merged" : merge?.status) },
      { title: "FORKS", of: ({ forks }) => forks.map(({ id }) => id).join(", ") },
    ]),
    `${bytes(answer.freeBytes)} free on the disk`,
  ];
  return { answer, lines };
}

const stateOf = (onDisk: boolean, complete: boolean) =>
  onDisk ? (complete ? "complete" : "incomplete") : "deleted";

async function merge({ api }: Cli, runId: string, step: number): Promise<Result> {
  const answer = await api.post("checkpoint.merge", { runId, step });
  const line =
    answer.status === "done" ? "is there in Hugging Face form" : "is queued to be merged";
  return { answer, lines: [`step ${step} of ${runId} ${line}`] };
}

async function cancelMerge({ api }: Cli, runId: string, step: number): Promise<Result> {
  const answer = await api.post("checkpoint.cancelMerge", { runId, step });
  return { answer: { runId, step, ...answer }, lines: [`the merge of step ${step} ends`] };
}

async function download(
  { api, signal }: Cli,
  runId: string,
  step: number,
  { output }: { output: string },
): Promise<Result> {
  const path = `/api/v1/runs/${encodeURIComponent(runId)}/checkpoints/${step}.tar`;
  const sizeBytes = await saveBody(await api.open("GET", path, undefined, signal), output);
  return {
    answer: { path: output, sizeBytes },
    lines: [`${bytes(sizeBytes)} written to ${output}`],
  };
}
