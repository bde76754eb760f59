import { AppError } from "@liverl/contract/app-error";
import type { Context } from "#context.ts";
import { TrialFolder } from "#trajectories/trial-folder.ts";

/** A file that a trial left or writes, as text: cut where it is long. NOT_FOUND where it is not in the trial's folder. */
export async function getTrialFile(
  ctx: Pick<Context, "db" | "config">,
  { rolloutId, path }: { rolloutId: string; path: string },
): Promise<{ path: string; text: string }> {
  const row = await ctx.db.rollout.findUnique({
    where: { rolloutId },
    select: { directory: true },
  });
  const folder = await TrialFolder.open(ctx.config.dataDir, row?.directory ?? null);
  const text = await folder?.read(path);
  if (!folder || text == null)
    throw new AppError("NOT_FOUND", { userMessage: `${rolloutId} has no file ${path}.` });
  return { path: folder.pathOf(path), text };
}
