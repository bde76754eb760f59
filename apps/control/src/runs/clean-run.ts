import { rm } from "node:fs/promises";
import type { CleanedRun, CleanRun } from "@liverl/contract/clean-run";
import type { Context } from "#context.ts";
import { stopFamily } from "#drivers/verl/process-family.ts";
import { foldersOfRun, getEndedRun, recordedProcesses, sizeOf } from "#runs/leftovers-of-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { whileHeld } from "#runs/while-held.ts";

const GRACE_MS = 5_000;

/**
 * Tidies up after an ended run: sandboxes and processes of it that are left end, never one that LiveRL did not start. On
 * request its logs and the folders of its trials are deleted, and pods that no attempt owns are removed; those that another
 * LiveRL made only with `force`. Checkpoints, metrics, events and rewards stay.
 */
export function cleanRun(
  ctx: Context & { actor: string },
  input: Partial<CleanRun> & { id: string },
): Promise<CleanedRun> {
  // A resume in between would lose what it goes on from.
  return whileHeld(ctx, input.id, () => clean(ctx, input));
}

async function clean(
  ctx: Context & { actor: string },
  {
    id,
    logs = false,
    trials = false,
    pods = false,
    force = false,
  }: Partial<CleanRun> & { id: string },
): Promise<CleanedRun> {
  const run = await getEndedRun(ctx, id);
  await ctx.runner.cancelRun(id);
  // First, since it is refused where there is no cluster: then nothing else is gone.
  const removed = pods ? await ctx.runner.removePods(id, force) : 0;
  const ended = await endProcesses(ctx.config.processes, id);
  const folders = await foldersOfRun(ctx.config.dataDir, run);
  const doomed = [
    ...folders.hydra,
    ...(logs ? [folders.logs] : []),
    ...(trials ? folders.trials : []),
  ];
  let freedBytes = 0;
  for (const folder of doomed) {
    freedBytes += (await sizeOf(folder)).bytes;
    await rm(folder, { recursive: true, force: true });
  }
  const what = [...(logs ? ["logs"] : []), ...(trials ? ["trials"] : [])];
  await recordRunEvent(ctx, id, {
    kind: "clean",
    actor: ctx.actor,
    message: [
      ...(what.length > 0 ? [`${what.join(" and ")} deleted`] : []),
      `${(freedBytes / 1e6).toFixed(1)} MB freed`,
      `${ended} ${ended === 1 ? "process" : "processes"} ended`,
      ...(pods ? [`${removed} ${removed === 1 ? "pod" : "pods"} removed`] : []),
    ].join(", "),
  });
  return { processes: ended, pods: removed, freedBytes };
}

async function endProcesses(directory: string, runId: string): Promise<number> {
  let ended = 0;
  for (const { record, lives } of await recordedProcesses(directory, runId)) {
    if (lives) ended += 1;
    await stopFamily(record, GRACE_MS);
  }
  return ended;
}
