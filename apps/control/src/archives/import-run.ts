import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { AppError } from "@liverl/contract/app-error";
import { type ArchiveHead, refuse } from "#archives/archive-format.ts";
import { importRows } from "#archives/import-rows.ts";
import { unpackArchive } from "#archives/unpack-archive.ts";
import type { Context } from "#context.ts";
import { inTransaction } from "#database/in-transaction.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

/** Puts an archived run in as it was, ids and all; CONFLICT where its id is taken. All of it comes in, or nothing. */
export async function importRun(
  ctx: Context & { actor: string },
  source: Readable,
): Promise<{ id: string }> {
  const imports = join(ctx.config.dataDir, "imports");
  await mkdir(imports, { recursive: true });
  const folder = await mkdtemp(join(imports, "run-"));
  try {
    const head = await unpackArchive(source, folder, (known) => refuseTaken(ctx, known));
    await bringIn(ctx, head, folder);
    const { runId, version } = head;
    await recordRunEvent(ctx, runId, {
      kind: "attach",
      actor: ctx.actor,
      message: `imported from an archive of LiveRL ${version}`,
    });
    return { id: runId };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Folders of the archive, and where they belong. */
function placesOf(ctx: Pick<Context, "config">, { project, runId }: ArchiveHead) {
  const { dataDir } = ctx.config;
  return [
    { room: "run", to: runFiles(dataDir, runId).directory },
    { room: "trials", to: join(dataDir, "harbor_trials", project, runId) },
  ];
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function refuseTaken(ctx: Pick<Context, "db" | "config">, head: ArchiveHead): Promise<void> {
  const { runId } = head;
  const taken = (await ctx.db.run.count({ where: { id: runId } })) > 0;
  const folders = await Promise.all(placesOf(ctx, head).map(({ to }) => isThere(to)));
  if (taken || folders.includes(true))
    throw new AppError("CONFLICT", { userMessage: `There is a run ${runId} here already.` });
}

async function bringIn(
  ctx: Pick<Context, "pool" | "db" | "config">,
  head: ArchiveHead,
  folder: string,
): Promise<void> {
  const moved: string[] = [];
  try {
    await inTransaction(ctx.pool, async (client) => {
      await importRows(client, { head, folder, dataDir: ctx.config.dataDir }).catch(asRefusal);
      await refuseFolders(ctx, head);
      for (const { room, to } of placesOf(ctx, head)) {
        if (!(await isThere(join(folder, room)))) continue;
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

/** Another import of the same run may have been quicker. */
async function refuseFolders(ctx: Pick<Context, "config">, head: ArchiveHead): Promise<void> {
  for (const { to } of placesOf(ctx, head))
    if (await isThere(to))
      throw new AppError("CONFLICT", { userMessage: `There is a run ${head.runId} here already.` });
}

/** PostgreSQL's classes 22 and 23, data exceptions and integrity violations, are the archive's fault. */
function asRefusal(error: unknown): never {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "23505")
    throw new AppError("CONFLICT", {
      userMessage: "The run, or a rollout of it, is here already.",
      cause: error,
    });
  if (/^2[23]/.test(code)) throw refuse(`a row does not fit (${(error as Error).message})`);
  throw error;
}
