import { FileWatch } from "#metrics/file-watch.ts";
import { indexUpdates, type UpdatesContext } from "#updates/index-updates.ts";

/** Keeps what updates took up with a life's record of them until `signal`. */
export async function followUpdates(
  ctx: UpdatesContext,
  { runId, attempt, path }: { runId: string; attempt: number; path: string },
  signal: AbortSignal,
): Promise<void> {
  const watch = new FileWatch();
  signal.addEventListener("abort", () => watch.close(), { once: true });
  while (!signal.aborted) {
    watch.follow([path]);
    await indexUpdates(ctx, runId, attempt).catch((error: unknown) =>
      // The database is away or the disk failed: the same lines are read again at the next look.
      ctx.log.warn({ err: error, runId }, "updates wait"),
    );
    await watch.wait();
  }
}
