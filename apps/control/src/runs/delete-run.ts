import { mkdir, mkdtemp, realpath, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import type { DeletedRun, DeleteRun } from "@liverl/contract/delete-run";
import { isTerminal, RunStatus, TERMINAL_RUN_STATUSES } from "@liverl/contract/run";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { forgetRecorded } from "@liverl/durable/process";
import type { Run } from "@liverl/prisma/client";
import type { PoolClient } from "pg";
import { placesOf } from "#archives/archive-format.ts";
import type { Context } from "#context.ts";
import { inTransaction } from "#database/in-transaction.ts";
import { processName } from "#drivers/embedded/run-files.ts";
import { stopFamily } from "#drivers/verl/process-family.ts";
import { DELETED, type Deleted, deletedOf } from "#runs/clear-deleted.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { deleteSecrets } from "#runs/hidden-values.ts";
import { recordedProcesses, sizeOf } from "#runs/leftovers-of-run.ts";

const GRACE_MS = 5_000;
/** For the driver to end engines that it kept for outside agents. */
const ENGINES_MS = 10_000;
const LOOK_MS = 200;

/**
 * Deletes a run that has ended, with all that is kept of it: rows, points, rollouts, replays, and its folders below the data
 * directory. Nothing of it goes while something still works on it; then CONFLICT. What a kill leaves is cleared at the next
 * start of control.
 */
export async function deleteRun(
  ctx: Context & { actor: string },
  { id }: DeleteRun,
): Promise<DeletedRun> {
  const run = await getRunRow(ctx, id);
  await refuseBusy(ctx, run);
  const { dataDir } = ctx.config;
  const places = placesOf(dataDir, { project: run.project, runId: id });
  for (const { to } of places) await refuseOutside(dataDir, to);
  if (run.driver !== "attached" && run.importedAt === null) await endWork(ctx, id);
  // What was taken and not yet stored would be stored after the run is gone.
  await ctx.ingest.settle();
  await mkdir(deletedOf(dataDir), { recursive: true });
  const folder = await mkdtemp(join(deletedOf(dataDir), "run-"));
  try {
    const deleted: Deleted = { runId: id, project: run.project };
    await writeFileAtomic(join(folder, DELETED), JSON.stringify(deleted));
    await inTransaction(ctx.pool, async (client) => {
      await deleteRows(client, id);
      for (const { room, to } of places) await moveIfThere(to, join(folder, room));
    }).catch(async (error: unknown) => {
      for (const { room, to } of places) await moveIfThere(join(folder, room), to);
      throw error;
    });
    await deleteSecrets(dataDir, id);
    ctx.log.info({ runId: id, project: run.project, actor: ctx.actor }, "a run was deleted");
    ctx.ingest.refresh();
    ctx.live.emit("run", id);
    const sizes = await Promise.all(places.map(({ room }) => sizeOf(join(folder, room))));
    return { freedBytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const conflict = (userMessage: string) => new AppError("CONFLICT", { userMessage });

async function refuseBusy({ db }: Pick<Context, "db">, { id, status }: Run): Promise<void> {
  if (!isTerminal(RunStatus.parse(status)))
    throw conflict(`${id} is ${status}: it can be deleted once it has ended.`);
  const waiting = { status: { in: ["queued", "sampling"] } };
  const [replays, merges, forks] = await Promise.all([
    db.replay.count({
      where: { ...waiting, OR: [{ runId: id }, { weights: { path: ["runId"], equals: id } }] },
    }),
    db.checkpointMerge.count({
      where: { runId: id, status: { in: ["queued", "running", "cancelling"] } },
    }),
    db.run.findMany({
      where: { parentId: id, status: { in: ["queued", "booting"] } },
      select: { id: true },
    }),
  ]);
  if (replays > 0)
    throw conflict(`${id} is being sampled again: wait for its replays, or cancel them.`);
  if (merges > 0)
    throw conflict(`A checkpoint of ${id} is being merged: wait for it, or cancel it.`);
  const [fork] = forks;
  if (fork) throw conflict(`${fork.id} begins from a checkpoint of ${id}: wait until it runs.`);
}

/** A folder that a link leads elsewhere is not the run's to delete. */
async function refuseOutside(dataDir: string, path: string): Promise<void> {
  const parent = await realpath(dirname(path)).catch(() => null);
  const expected = join(await realpath(dataDir), relative(dataDir, dirname(path)));
  if (parent !== null && parent !== expected)
    throw conflict(
      `${path} is not in the data directory: a link leads to ${parent}. Delete the run's files there yourself, and remove the link.`,
    );
}

/** Trials, the trainer's and engines' processes, and the engines that were kept for outside agents. */
async function endWork(ctx: Context, id: string): Promise<void> {
  const { processes } = ctx.config;
  await ctx.runner.cancelRun(id);
  await ctx.db.run.updateMany({ where: { id }, data: { released: true } });
  ctx.wakeDrivers();
  const deadline = Date.now() + ENGINES_MS;
  const living = async () => (await recordedProcesses(processes, id)).some(({ lives }) => lives);
  while ((await living()) && Date.now() < deadline) await sleep(LOOK_MS);
  for (const { name, record } of await recordedProcesses(processes, id)) {
    await stopFamily(record, GRACE_MS);
    await forgetRecorded(processes, processName(id, name));
  }
}

async function deleteRows(client: PoolClient, id: string): Promise<void> {
  // Events, boot phases, checkpoints, merges, alerts and replays go with it.
  const { rowCount } = await client.query(
    "DELETE FROM run WHERE id = $1 AND status = ANY($2::text[])",
    [id, TERMINAL_RUN_STATUSES],
  );
  if (rowCount !== 1) throw conflict(`${id} was begun again, or is gone: look at it once more.`);
  for (const table of ["chunk", "rollup"])
    await client.query(
      `DELETE FROM ${table} WHERE series_id IN (SELECT id FROM series WHERE run_id = $1)`,
      [id],
    );
  for (const table of [
    ...["series", "rollout", "taken_rollout", "update_file"],
    ...["ingest_batch", "ingest_source", "launch_key"],
  ])
    await client.query(`DELETE FROM ${table} WHERE run_id = $1`, [id]);
}

async function moveIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
