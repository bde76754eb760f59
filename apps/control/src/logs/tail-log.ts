import { open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogLine } from "@liverl/contract/views";
import { type TrackedEnvelope, tracked } from "@trpc/server";
import type { Context } from "#context.ts";
import { getLogSource } from "#logs/log-source.ts";
import { forwards } from "#logs/read-log.ts";

const POLL_MS = 300;
const LINES_PER_FRAME = 1_000;

/** New lines of a log as they are written, from a byte offset on. */
export async function* tailLog(
  ctx: Pick<Context, "db" | "config">,
  {
    runId,
    source,
    after,
    lastEventId,
  }: { runId: string; source: string; after: number; lastEventId?: string | null | undefined },
  signal: AbortSignal | undefined,
): AsyncGenerator<TrackedEnvelope<{ lines: LogLine[]; end: number }>, void, void> {
  const { path } = await getLogSource(ctx, runId, source);
  const resumed = Number(lastEventId ?? Number.NaN);
  let end = Number.isSafeInteger(resumed) ? resumed : after;
  while (!signal?.aborted) {
    const size = await stat(path).then(
      (entry) => entry.size,
      () => 0,
    );
    const handle = size === end ? null : await open(path, "r").catch(() => null);
    if (handle) {
      const page = await forwards(handle, end, size, LINES_PER_FRAME, () => true).finally(() =>
        handle.close(),
      );
      const moved = page.end !== end;
      end = page.end;
      if (page.lines.length > 0) yield tracked(String(end), { lines: page.lines, end });
      if (moved) continue;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
