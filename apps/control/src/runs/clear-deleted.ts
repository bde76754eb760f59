import { access, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { readJson } from "@liverl/durable/atomic-file";
import type { z } from "zod";
import { ArchiveHead, placesOf } from "#archives/archive-format.ts";
import type { Context } from "#context.ts";

/** Folders of runs that are being deleted, out of everybody's way. */
export const deletedOf = (dataDir: string) => join(dataDir, "deleted");

/** Beside the folders, written before the first of them came: whose they are. */
export const DELETED = "deleted.json";
export const Deleted = ArchiveHead.pick({ runId: true, project: true });
export type Deleted = z.infer<typeof Deleted>;

/**
 * Ends what a kill left of deletions: where the rows are gone the folders go, too, and where they are not the folders come
 * back to their places. For the start of control. Doing it again changes nothing.
 */
export async function clearDeleted(
  ctx: Pick<Context, "db" | "config"> & { log: Pick<Context["log"], "warn"> },
): Promise<void> {
  const { dataDir } = ctx.config;
  for (const name of await readdir(deletedOf(dataDir)).catch(() => [])) {
    const left = join(deletedOf(dataDir), name);
    const deleted = await readJson(join(left, DELETED), Deleted);
    const isKept =
      deleted !== null && (await ctx.db.run.count({ where: { id: deleted.runId } })) > 0;
    if (isKept)
      for (const { room, to } of placesOf(dataDir, deleted)) await giveBack(join(left, room), to);
    await rm(left, { recursive: true, force: true });
    ctx.log.warn({ runId: deleted?.runId, isKept }, "cleared a deletion that was cut off");
  }
}

/** An import may have put a run of the same name there since: then these are the old one's. */
async function giveBack(from: string, to: string): Promise<void> {
  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    );
  if ((await isThere(from)) && !(await isThere(to))) await rename(from, to);
}
