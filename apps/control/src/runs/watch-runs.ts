import { setTimeout as sleep } from "node:timers/promises";
import type { RunSummary } from "@liverl/contract/run";
import { type TrackedEnvelope, tracked } from "@trpc/server";
import type { Context } from "#context.ts";
import { untilDatabaseIsBack } from "#database/until-database-is-back.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";
import { type RunEventView, viewRunEvent } from "#runs/view-run-event.ts";

type EventFrame =
  | { kind: "event"; runId: string; event: RunEventView }
  | { kind: "event-gone"; runId: string; eventId: number };
export type RunFrame = { kind: "run"; run: RunSummary } | EventFrame;

/** Changes of a run arrive in flocks, and each summary costs two queries. */
const FLOCK_MS = 300;
const BACKLOG_MOST = 1_000;

/**
 * Summaries of a run (or of all) when they change, and events as they happen. After a reconnect the events since
 * `lastEventId` come first. The summary as it is now always comes, so that a page needs no second look.
 */
export async function* watchRuns(
  ctx: Pick<Context, "db" | "pool" | "live">,
  { id, lastEventId }: { id?: string | undefined; lastEventId?: string | null | undefined },
  signal: AbortSignal | undefined,
): AsyncGenerator<TrackedEnvelope<RunFrame>, void, void> {
  const changed = new Set<string>();
  let waiting: EventFrame[] = [];
  let wake = () => {};
  const onRun = (runId: string) => {
    if (id !== undefined && runId !== id) return;
    changed.add(runId);
    wake();
  };
  const onEvent = (runId: string, event: RunEventView) => {
    if (id !== undefined && runId !== id) return;
    waiting.push({ kind: "event", runId, event });
    wake();
  };
  const onGone = (runId: string, eventId: number) => {
    if (id !== undefined && runId !== id) return;
    waiting.push({ kind: "event-gone", runId, eventId });
    wake();
  };
  const onAbort = () => wake();
  // Listen first, read then: what happens between the two is seen twice and sent once.
  ctx.live.on("run", onRun).on("event", onEvent).on("eventGone", onGone);
  signal?.addEventListener("abort", onAbort);
  try {
    let last = Number(lastEventId ?? Number.NaN);
    if (Number.isSafeInteger(last)) {
      for (const row of (await untilDatabaseIsBack(() => eventsSince(ctx, last, id), signal)) ??
        []) {
        last = row.id;
        yield tracked(String(last), { kind: "event", runId: row.runId, event: viewRunEvent(row) });
      }
    } else last = (await untilDatabaseIsBack(() => newestEventId(ctx), signal)) ?? 0;
    if (id !== undefined) changed.add(id);
    while (!signal?.aborted) {
      if (changed.size === 0 && waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (signal?.aborted) resolve();
        });
        continue;
      }
      const fresh = inOrder(waiting, last);
      waiting = [];
      for (const frame of fresh) {
        if (frame.kind === "event") last = frame.event.id;
        yield tracked(String(last), frame);
      }
      const runIds = [...changed];
      changed.clear();
      // PostgreSQL may be restarting: the stream waits for it, and what changes meanwhile comes after.
      for (const run of (await untilDatabaseIsBack(() => summaries(ctx, runIds), signal)) ?? [])
        yield tracked(String(last), { kind: "run", run });
      await sleep(FLOCK_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    ctx.live.off("run", onRun).off("event", onEvent).off("eventGone", onGone);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** New events by their ids, then those that were taken back: one may be made and deleted within a flock. */
function inOrder(frames: readonly EventFrame[], last: number): EventFrame[] {
  const events = frames.filter((frame) => frame.kind === "event");
  return [
    ...events.filter(({ event }) => event.id > last).sort((a, b) => a.event.id - b.event.id),
    ...frames.filter((frame) => frame.kind === "event-gone"),
  ];
}

function eventsSince(ctx: Pick<Context, "db">, last: number, runId: string | undefined) {
  return ctx.db.runEvent.findMany({
    where: { id: { gt: last }, ...(runId === undefined ? {} : { runId }) },
    orderBy: { id: "asc" },
    take: BACKLOG_MOST,
  });
}

async function newestEventId(ctx: Pick<Context, "db">): Promise<number> {
  const newest = await ctx.db.runEvent.findFirst({ orderBy: { id: "desc" }, select: { id: true } });
  return newest?.id ?? 0;
}

async function summaries(
  ctx: Pick<Context, "db" | "pool">,
  runIds: string[],
): Promise<RunSummary[]> {
  if (runIds.length === 0) return [];
  const rows = await ctx.db.run.findMany({ where: { id: { in: runIds } } });
  return (await summariseRuns(ctx, rows)).map(({ summary }) => summary);
}
