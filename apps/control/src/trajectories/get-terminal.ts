import { AppError } from "@liverl/contract/app-error";
import { TERMINAL_FILES, type TerminalPart } from "@liverl/contract/recording";
import type { Context } from "#context.ts";
import { TrialFolder } from "#trajectories/trial-folder.ts";

/** Of one answer, and of all that is ever told of a file. */
const PART_BYTES = 256 * 1024;
const MOST_BYTES = 4 * 1024 * 1024;

/** What a trial's terminal shows from a byte on: its recording, else its agent's own output. NOT_FOUND where there is no such rollout. */
export async function getTerminal(
  ctx: Pick<Context, "db" | "config" | "runner">,
  { rolloutId, from }: { rolloutId: string; from: number },
): Promise<TerminalPart> {
  const row = await ctx.db.rollout.findUnique({
    where: { rolloutId },
    select: { directory: true, status: true },
  });
  if (!row) throw new AppError("NOT_FOUND", { userMessage: `There is no rollout ${rolloutId}.` });
  const isLive = row.status === "queued" || row.status === "running";
  // What is in the folder by now is shown, also where nothing more can be brought.
  if (isLive) await ctx.runner.bringOutput(rolloutId).catch(() => undefined);
  const folder = await TrialFolder.open(ctx.config.dataDir, row.directory);
  for (const path of folder ? TERMINAL_FILES : []) {
    const maxBytes = Math.max(0, Math.min(PART_BYTES, MOST_BYTES - from));
    const part = await folder?.readPart(path, from, maxBytes);
    if (!part) continue;
    const isCut = part.sizeBytes > MOST_BYTES;
    return { path, ...part, isCut, isLive };
  }
  return { path: null, text: "", next: from, sizeBytes: 0, isCut: false, isLive };
}
