import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { type CleanedRun, type CleanRun, isTerminal, RunStatus } from "@liverl/contract/run";
import { findRecorded, isAlive, listRecorded } from "@liverl/durable/process";
import type { Context } from "#context.ts";
import { processName, runFiles } from "#drivers/embedded/run-files.ts";
import { stopFamily } from "#drivers/verl/process-family.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

const GRACE_MS = 5_000;
/** Those that train and sample; a merge of its checkpoints goes on. */
const PROCESS = /^(verl|trainer|engine-\d+)$/;

/**
 * Tidies up after an ended run: sandboxes and processes of it that are left end, never one that LiveRL did not start. On
 * request its logs, and the folders of its trials, are deleted. Checkpoints, metrics, events and rewards stay.
 */
export async function cleanRun(
  ctx: Context & { actor: string },
  { id, logs, trials }: CleanRun,
): Promise<CleanedRun> {
  const run = await getRunRow(ctx, id);
  if (run.driver === "attached")
    throw new AppError("CONFLICT", {
      userMessage: "An attached run is only watched: its own trainer tidies up.",
    });
  if (!isTerminal(RunStatus.parse(run.status)))
    throw new AppError("CONFLICT", {
      userMessage: `${id} is ${run.status}: it can be cleaned once it has ended.`,
    });
  await ctx.runner.cancelRun(id);
  const ended = await endProcesses(ctx.config.processes, id);
  const { dataDir } = ctx.config;
  const files = runFiles(dataDir, id);
  const hydra = (await readdir(files.directory).catch(() => []))
    .filter((name) => /^hydra-\d+$/.test(name))
    .map((name) => join(files.directory, name));
  const doomed = [
    ...hydra,
    ...(logs ? [files.logs] : []),
    ...(trials ? [join(dataDir, "harbor_trials", run.project, id), files.trainedTokens] : []),
  ];
  let freedBytes = 0;
  for (const folder of doomed) {
    freedBytes += await bytesOf(folder);
    await rm(folder, { recursive: true, force: true });
  }
  const what = [...(logs ? ["logs"] : []), ...(trials ? ["trials"] : [])];
  await recordRunEvent(ctx, id, {
    kind: "clean",
    actor: ctx.actor,
    message: `${what.length > 0 ? `${what.join(" and ")} deleted, ` : ""}${(freedBytes / 1e6).toFixed(1)} MB freed, ${ended} ${ended === 1 ? "process" : "processes"} ended`,
  });
  return { processes: ended, freedBytes };
}

async function endProcesses(directory: string, runId: string): Promise<number> {
  const prefix = processName(runId, "");
  let ended = 0;
  for (const { name } of await listRecorded(directory)) {
    if (!name.startsWith(prefix) || !PROCESS.test(name.slice(prefix.length))) continue;
    const record = await findRecorded(directory, name);
    if (record === null) continue;
    if (await isAlive(record)) ended += 1;
    await stopFamily(record, GRACE_MS);
  }
  return ended;
}

async function bytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
