"use client";
import type { RunEvent } from "@liverl/contract/run";
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo, useRef } from "react";
import { EVENT_GROUPS, EVENT_WORDS, filterEvents } from "#run-events/filter-events.ts";
import { RunFrame } from "#runs/run-frame.tsx";
import { runHref, stepHref } from "#shell/links.ts";
import { useRunRoute } from "#shell/use-route.ts";
import { useScrollMemory } from "#shell/use-scroll-memory.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { formatExact } from "#ui/format-time.ts";
import { Link } from "#ui/link.tsx";
import { SearchBox } from "#ui/search-box.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { StatusDot } from "#ui/status-dot.tsx";

const ROW = 32;
const LIMIT = 5_000;
const SHORTCUTS = [{ keys: ["/"], does: "Find in the events" }];

/** Everything that happened to the run, newest first: what the trainer did, and what people asked for. */
export function RunEventsPage() {
  const { project, runId } = useRunRoute();
  const query = useQuery(useTRPC().run.events.queryOptions({ id: runId, limit: LIMIT }));
  const [state, setState] = useQueryStates({
    kind: parseAsStringLiteral(EVENT_GROUPS.map(({ value }) => value)).withDefault("all"),
    q: parseAsString.withDefault(""),
  });
  const events = query.data?.events;
  const shown = useMemo(() => filterEvents(events ?? [], state.kind, state.q), [events, state]);
  return (
    <RunFrame tab="events" shortcuts={SHORTCUTS} fills>
      <div className="runs-bar">
        <SearchBox
          label="Find in the events"
          value={state.q}
          onChange={(q) => void setState({ q: q === "" ? null : q })}
          width={300}
        />
        <Seg
          label="Kind of event"
          value={state.kind}
          options={EVENT_GROUPS}
          onChange={(kind) => void setState({ kind })}
        />
        <div className="grow" />
        {events !== undefined && (
          <span className="f12 i3 nowrap">
            {shown.length === events.length
              ? `${events.length} events`
              : `${shown.length} of ${events.length} events`}
          </span>
        )}
      </div>
      {query.isPending && <SkeletonRows rows={10} height={ROW} />}
      {query.isError && events === undefined && (
        <ErrorState
          what="The events could not be read"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {events !== undefined && shown.length === 0 && (
        <EmptyState title={events.length === 0 ? "Nothing happened yet" : "No event matches"} />
      )}
      {shown.length > 0 && <EventList events={shown} project={project} runId={runId} />}
    </RunFrame>
  );
}

function EventList({
  events,
  project,
  runId,
}: {
  events: readonly RunEvent[];
  project: string;
  runId: string;
}) {
  const scroll = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  // After the virtualizer, which scrolls to the top as it begins.
  useScrollMemory(scroll, "events");
  return (
    <div ref={scroll} className="runs-wrap scroll">
      <ol
        style={{ height: rows.getTotalSize(), position: "relative" }}
        aria-label="Events, newest first"
      >
        {rows.getVirtualItems().map(({ index, start, key }) => {
          const event = events[index];
          return event === undefined ? null : (
            <EventRow
              key={key}
              {...{ event, index, top: start, project, runId }}
              measure={rows.measureElement}
            />
          );
        })}
      </ol>
    </div>
  );
}

function EventRow({
  event,
  index,
  top,
  project,
  runId,
  measure,
}: {
  event: RunEvent;
  index: number;
  top: number;
  project: string;
  runId: string;
  /** A narrow window gives the message lines of its own, as many as it needs. */
  measure: (row: Element | null) => void;
}) {
  const { dot, word } = EVENT_WORDS[event.kind];
  return (
    <li
      ref={measure}
      data-index={index}
      className="event-row"
      style={{ transform: `translateY(${top}px)`, minHeight: ROW }}
    >
      <time className="i3" dateTime={event.at}>
        {formatExact(event.at)}
      </time>
      <span className="st">
        <StatusDot kind={dot} />
        {word}
      </span>
      {event.step === null ? (
        <span className="i3">—</span>
      ) : (
        <Link
          className="lnk"
          href={stepHref(project, runId, event.step)}
        >{`step ${event.step}`}</Link>
      )}
      <span className="trunc event-words" title={event.message}>
        {event.message}
      </span>
      <span className="i3 trunc r">{event.actor}</span>
      <Link
        className="lnk f12"
        href={runHref(project, runId, `logs?t=${encodeURIComponent(event.at)}`)}
      >
        Log
      </Link>
    </li>
  );
}
