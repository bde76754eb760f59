"use client";
import type { RunEvent, RunSummary } from "@liverl/contract/run";
import { useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useEffect, useRef } from "react";
import { type KnownRuns, patchRunList, runsOf } from "#shell/patch-run-list.ts";
import { useTRPC } from "#trpc/client.tsx";
import { connection } from "#trpc/connection.ts";

const DETAIL_EVERY_MS = 1_000;

/** Follows every run over one stream and keeps the cached lists, headers and events up to date. Draws nothing. */
export function LiveRuns() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const detailTimers = useRef(new Map<string, ReturnType<typeof setTimeout>>());

  function refreshSoon(runId: string): void {
    if (detailTimers.current.has(runId)) return;
    const timer = setTimeout(() => {
      detailTimers.current.delete(runId);
      void queries.invalidateQueries({ queryKey: trpc.run.get.queryKey({ id: runId }) });
    }, DETAIL_EVERY_MS);
    detailTimers.current.set(runId, timer);
  }

  function sawRun(run: RunSummary): void {
    let isAsKnown = false;
    queries.setQueriesData<KnownRuns>({ queryKey: trpc.run.list.pathKey() }, (known) => {
      if (runsOf(known).some(({ id, status }) => id === run.id && status === run.status))
        isAsKnown = true;
      return patchRunList(known, run);
    });
    // A list of some statuses gains or loses it.
    if (!isAsKnown) void queries.invalidateQueries({ queryKey: trpc.run.list.pathKey() });
    queries.setQueryData(trpc.run.get.queryKey({ id: run.id }), (known) =>
      known === undefined ? known : { ...known, ...run },
    );
    refreshSoon(run.id);
  }

  function sawEvent(runId: string, event: RunEvent): void {
    queries.setQueriesData<{ events: RunEvent[] }>(
      { predicate: ({ queryKey }) => isEventsOf(queryKey, runId) },
      (known) =>
        known === undefined || known.events.some(({ id }) => id === event.id)
          ? known
          : { events: [event, ...known.events] },
    );
    if (event.kind === "checkpoint")
      void queries.invalidateQueries({ queryKey: trpc.checkpoint.list.queryKey({ runId }) });
    // What was drawn behind that step may be gone.
    if (event.kind === "resume") void queries.invalidateQueries(trpc.metric.pathFilter());
    if (event.kind === "alert") void queries.invalidateQueries(trpc.alert.list.queryFilter());
    refreshSoon(runId);
  }

  /** Somebody took an annotation back. */
  function sawEventGo(runId: string, eventId: number): void {
    queries.setQueriesData<{ events: RunEvent[] }>(
      { predicate: ({ queryKey }) => isEventsOf(queryKey, runId) },
      (known) => known && { events: known.events.filter(({ id }) => id !== eventId) },
    );
    refreshSoon(runId);
  }

  useSubscription(
    trpc.run.live.subscriptionOptions(
      {},
      {
        onData: ({ data: frame }) => {
          if (frame.kind === "run") sawRun(frame.run);
          else if (frame.kind === "event") sawEvent(frame.runId, frame.event);
          else sawEventGo(frame.runId, frame.eventId);
        },
      },
    ),
  );

  useEffect(() => connection.onReturn(() => void queries.invalidateQueries()), [queries]);

  useEffect(() => {
    const timers = detailTimers.current;
    return () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    };
  }, []);

  return null;
}

/** tRPC's query keys are `[["run","events"], {input, type}]`; the limit in the input differs from page to page. */
function isEventsOf(queryKey: readonly unknown[], runId: string): boolean {
  const [path, options] = queryKey;
  if (!Array.isArray(path) || path[0] !== "run" || path[1] !== "events") return false;
  const input =
    typeof options === "object" && options !== null && "input" in options ? options.input : null;
  return typeof input === "object" && input !== null && "id" in input && input.id === runId;
}
