import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { readJson } from "@liverl/durable/atomic-file";
import { z } from "zod";
import { ArchiveHead, placesOf } from "#archives/archive-format.ts";
import type { Context } from "#context.ts";

export const importsOf = (dataDir: string) => join(dataDir, "imports");

/** Beside what is unpacked, written before the first folder leaves it: whose folders, and which, are about to. */
export const MOVING = "moving.json";
export const Moving = ArchiveHead.pick({ runId: true, project: true }).extend({
  rooms: z.array(z.string()),
});
export type Moving = z.infer<typeof Moving>;

/**
 * Takes away what imports left that a kill ended: what they unpacked and, where their transaction was not committed, the
 * folders that they had already put in place. For the start of control, while no import runs. Doing it again changes nothing.
 */
export async function clearImports(
  ctx: Pick<Context, "db" | "config"> & { log: Pick<Context["log"], "warn"> },
): Promise<void> {
  const { dataDir } = ctx.config;
  const names = await readdir(importsOf(dataDir)).catch(() => []);
  for (const name of names) {
    const left = join(importsOf(dataDir), name);
    const moving = await readJson(join(left, MOVING), Moving);
    if (moving && (await ctx.db.run.count({ where: { id: moving.runId } })) === 0)
      await takeBack(dataDir, left, moving);
    await rm(left, { recursive: true, force: true });
    ctx.log.warn({ import: name, runId: moving?.runId }, "cleared an import that was cut off");
  }
}

/** What does not lie where it was unpacked any more, this import has moved. No other folder is touched. */
async function takeBack(dataDir: string, left: string, moving: Moving): Promise<void> {
  const there = await readdir(left);
  for (const { room, to } of placesOf(dataDir, moving))
    if (moving.rooms.includes(room) && !there.includes(room))
      await rm(to, { recursive: true, force: true });
}
