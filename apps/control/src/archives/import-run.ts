import { access, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { AppError } from "@liverl/contract/app-error";
import type { ImportedRun } from "@liverl/contract/import-run";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { type ArchiveHead, placesOf, refuse } from "#archives/archive-format.ts";
import { importsOf, MOVING, type Moving } from "#archives/clear-imports.ts";
import type { DiskRoom } from "#archives/disk-room.ts";
import { importRows } from "#archives/import-rows.ts";
import { unpackArchive } from "#archives/unpack-archive.ts";
import type { Context } from "#context.ts";
import { inTransaction } from "#database/in-transaction.ts";
import { hideStoredSecrets } from "#runs/hidden-values.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

/**
 * Puts an archived run in as it was, ids and all; CONFLICT where its id is taken. All of it comes in, or nothing: what a kill
 * leaves is cleared at the next start of control.
 */
export async function importRun(
  ctx: Context & { actor: string },
  source: Readable,
  room: DiskRoom,
): Promise<ImportedRun> {
  const imports = importsOf(ctx.config.dataDir);
  await mkdir(imports, { recursive: true });
  const folder = await mkdtemp(join(imports, "run-"));
  try {
    const head = await unpackArchive(source, folder, {
      room,
      onHead: (known) => refuseTaken(ctx, known),
    });
    await bringIn(ctx, head, folder);
    const { runId, project, version } = head;
    await recordRunEvent(ctx, runId, {
      kind: "attach",
      actor: ctx.actor,
      message: `imported from an archive of LiveRL ${version}`,
    });
    // An archive of an earlier version may hold values that are kept apart now.
    await hideStoredSecrets(ctx, runId);
    return { id: runId, project };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function refuseTaken(ctx: Pick<Context, "db" | "config">, head: ArchiveHead): Promise<void> {
  if ((await ctx.db.run.count({ where: { id: head.runId } })) > 0)
    throw new AppError("CONFLICT", { userMessage: `There is a run ${head.runId} here already.` });
  await refuseFolders(ctx, head);
}

async function bringIn(
  ctx: Pick<Context, "pool" | "db" | "config">,
  head: ArchiveHead,
  folder: string,
): Promise<void> {
  const { dataDir } = ctx.config;
  const moved: string[] = [];
  try {
    await inTransaction(ctx.pool, async (client) => {
      await importRows(client, { head, folder, dataDir }).catch(asRefusal);
      await refuseFolders(ctx, head);
      const unpacked = new Set(await readdir(folder));
      const places = placesOf(dataDir, head).filter(({ room }) => unpacked.has(room));
      const { runId, project } = head;
      const moving: Moving = { runId, project, rooms: places.map(({ room }) => room) };
      await writeFileAtomic(join(folder, MOVING), JSON.stringify(moving));
      for (const { room, to } of places) {
        await mkdir(dirname(to), { recursive: true });
        await rename(join(folder, room), to);
        moved.push(to);
      }
    });
  } catch (error) {
    for (const path of moved) await rm(path, { recursive: true, force: true });
    throw error;
  }
}

/** Another import of the same run may have been quicker, or the folders are of a run that this database does not know. */
async function refuseFolders(ctx: Pick<Context, "config">, head: ArchiveHead): Promise<void> {
  for (const { to } of placesOf(ctx.config.dataDir, head))
    if (await isThere(to))
      throw new AppError("CONFLICT", {
        userMessage: `${to} is there already: another import of ${head.runId} is under way, or the database does not know the run it is of. Move it away, and import again.`,
      });
}

/** What is here already, by the key that says so. */
const TAKEN: Record<string, string> = {
  run_pkey: "The run is here already.",
  rollout_pkey: "A rollout of the run is here already, as another run's.",
  replay_pkey: "A replay of the run is here already, as another run's.",
};

/** PostgreSQL's classes 22, 23 and 54, data exceptions, integrity violations and limits, are the archive's fault. */
function asRefusal(error: unknown): never {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const taken = TAKEN[String(constraint)];
  if (code === "23505" && taken !== undefined)
    throw new AppError("CONFLICT", { userMessage: taken, cause: error });
  if (/^(22|23|54)/.test(String(code)))
    throw refuse(`a row does not fit (${(error as Error).message})`);
  throw error;
}
