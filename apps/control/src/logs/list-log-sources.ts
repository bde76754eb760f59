import { stat } from "node:fs/promises";
import type { Context } from "#context.ts";
import { logSources } from "#logs/log-source.ts";

/** The logs of a run with their sizes; a log that was not written yet has none. */
export async function listLogSources(
  ctx: Pick<Context, "db" | "config">,
  { runId }: { runId: string },
): Promise<{ sources: { id: string; label: string; isShared: boolean; sizeBytes: number }[] }> {
  const sources = await logSources(ctx, runId);
  return {
    sources: await Promise.all(
      sources.map(async ({ id, label, isShared, path }) => ({
        ...{ id, label, isShared },
        sizeBytes: await stat(path).then(
          (entry) => entry.size,
          () => 0,
        ),
      })),
    ),
  };
}
