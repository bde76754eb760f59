import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { isTerminal, RunStatus } from "@liverl/contract/run";
import { findRecorded, isAlive, listRecorded, type ProcessRecord } from "@liverl/durable/process";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { processName, runFiles } from "#drivers/embedded/run-files.ts";
import { getRunRow } from "#runs/get-run-row.ts";

/** Those that train and sample; a merge of its checkpoints goes on. */
const PROCESS = /^(verl|trainer|engine-\d+)$/;

/** The run, which has ended and was LiveRL's own. Throws CONFLICT for any other. */
export async function getEndedRun(ctx: Pick<Context, "db">, id: string): Promise<Run> {
  const run = await getRunRow(ctx, id);
  if (run.driver === "attached")
    throw new AppError("CONFLICT", {
      userMessage: "An attached run is only watched: its own trainer tidies up.",
    });
  if (!isTerminal(RunStatus.parse(run.status)))
    throw new AppError("CONFLICT", {
      userMessage: `${id} is ${run.status}: it can be cleaned once it has ended.`,
    });
  return run;
}

/** Processes of the run that LiveRL started and wrote down, those that are gone among them. */
export async function recordedProcesses(
  directory: string,
  runId: string,
): Promise<{ name: string; record: ProcessRecord; lives: boolean }[]> {
  const prefix = processName(runId, "");
  const found: { name: string; record: ProcessRecord; lives: boolean }[] = [];
  for (const { name } of await listRecorded(directory)) {
    if (!name.startsWith(prefix) || !PROCESS.test(name.slice(prefix.length))) continue;
    const record = await findRecorded(directory, name);
    if (record === null) continue;
    found.push({ name: name.slice(prefix.length), record, lives: await isAlive(record) });
  }
  return found;
}

/** Where what a clean may delete stands. */
export async function foldersOfRun(dataDir: string, { id, project }: Run) {
  const files = runFiles(dataDir, id);
  const names = await readdir(files.directory).catch(() => []);
  return {
    hydra: names
      .filter((name) => /^hydra-\d+$/.test(name))
      .map((name) => join(files.directory, name)),
    logs: files.logs,
    trials: [join(dataDir, "harbor_trials", project, id), files.trainedTokens],
  };
}

/** Files below a folder and their bytes; none where it is not there. */
export async function sizeOf(folder: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  let bytes = 0;
  for (const entry of files)
    bytes += await stat(join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0,
    );
  return { files: files.length, bytes };
}
