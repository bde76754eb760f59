"use client";
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { type ComponentProps, useMemo, useState } from "react";
import { atLeast, isBefore, LEVELS, lineAt, nearestLine, sayNoLine } from "#logs/log-lines.ts";
import { LogList } from "#logs/log-list.tsx";
import styles from "#logs/logs.module.css";
import { useLog } from "#logs/use-log.ts";
import { RunFrame } from "#runs/run-frame.tsx";
import { useRunRoute } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { Chip } from "#ui/chip.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { formatBytes, formatCount } from "#ui/format-number.ts";
import { formatClock } from "#ui/format-time.ts";
import { Icon } from "#ui/icon.tsx";
import { SearchBox } from "#ui/search-box.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

const REFRESH_MS = 5_000;
const SHORTCUTS = [
  { keys: ["/"], does: "Search this log" },
  { keys: ["m"], does: "Link to the line at the top (log focused)" },
  { keys: ["f"], does: "Follow the end, or stop following" },
];

export function LogsPage() {
  const { runId } = useRunRoute();
  const trpc = useTRPC();
  const [state, setState] = useQueryStates({
    src: parseAsString,
    lvl: parseAsStringLiteral(LEVELS).withDefault("trace"),
    q: parseAsString.withDefault(""),
    t: parseAsString,
    /** Byte offset of a line. */
    o: parseAsInteger,
  });
  const sources = useQuery(
    trpc.log.sources.queryOptions({ runId }, { refetchInterval: REFRESH_MS }),
  );
  const known = sources.data?.sources ?? [];
  const source =
    known.find(({ id }) => id === state.src)?.id ??
    known.find(({ sizeBytes }) => sizeBytes > 0)?.id ??
    known[0]?.id ??
    null;
  // A link to a moment opens there, so it does not follow; whoever follows leaves the moment.
  const [wantsFollow, setWantsFollow] = useState(true);
  const isFollowing = wantsFollow && state.t === null && state.o === null;
  const follow = (next: boolean) => {
    setWantsFollow(next);
    if (next) void setState({ t: null, o: null });
  };
  const [q] = useDebouncedValue(state.q, 250);
  const log = useLog({
    runId,
    source,
    q,
    at: state.t,
    offset: state.o,
    isFollowing: state.o === null,
  });
  const lines = useMemo(() => atLeast(log.lines ?? [], state.lvl), [log.lines, state.lvl]);
  const nearest = useMemo(
    () =>
      state.o !== null
        ? lineAt(lines, state.o)
        : state.t === null
          ? null
          : nearestLine(lines, state.t),
    [lines, state.o, state.t],
  );
  const noLine =
    state.t === null || lines.length === 0
      ? null
      : sayNoLine(nearest, log.hasOlder && isBefore(lines, state.t));
  usePageKeys([["F", () => follow(!isFollowing)]]);
  return (
    <RunFrame tab="logs" crumbs={[{ label: "Logs" }]} shortcuts={SHORTCUTS} fills>
      <div className={styles.page}>
        <div className={styles.bar}>
          <Select
            aria-label="Log"
            data={[
              { group: "This run", items: itemsOf(known.filter(({ isShared }) => !isShared)) },
              { group: "LiveRL", items: itemsOf(known.filter(({ isShared }) => isShared)) },
            ].filter(({ items }) => items.length > 0)}
            value={source}
            onChange={(src) => void setState({ src, o: null })}
            allowDeselect={false}
            w={190}
            disabled={known.length === 0}
          />
          <SearchBox
            label="Search this log"
            value={state.q}
            onChange={(next) => void setState({ q: next || null })}
            width={250}
          />
          <Seg
            label="Least level"
            value={state.lvl}
            options={LEVELS.map((value) => ({ value, label: value === "trace" ? "all" : value }))}
            onChange={(lvl) => void setState({ lvl })}
          />
          <Chip
            tone={isFollowing ? "on" : "neutral"}
            pressed={isFollowing}
            onClick={() => follow(!isFollowing)}
          >
            {isFollowing && <Icon name="check" size={11} />}
            Follow
          </Chip>
          {state.o !== null && (
            <Chip onClick={() => void setState({ o: null })} title="Leave this line">
              linked line <Icon name="x" size={11} />
            </Chip>
          )}
          {state.t !== null && (
            <Chip onClick={() => void setState({ t: null })} title="Leave this moment">
              at {formatClock(state.t)} <Icon name="x" size={11} />
            </Chip>
          )}
          <span className="end f12 i3" role="status">
            {log.lines !== null && `${formatCount(lines.length)} lines`}
            {log.sizeBytes !== null && ` · ${formatBytes(log.sizeBytes)}`}
          </span>
        </div>
        {noLine && !log.isLoading && (
          <p className="note warn" role="status">
            <StatusDot kind="warn" />
            {noLine}
          </p>
        )}
        <section className={`panel ${styles.panel}`} aria-label="Log" aria-busy={log.isLoading}>
          {sources.isError && !sources.data ? (
            <ErrorState
              what="The logs could not be listed"
              error={sources.error}
              onRetry={() => void sources.refetch()}
            />
          ) : sources.data && source === null ? (
            <EmptyState title="No log yet">
              Logs appear as soon as a process of this run starts.
            </EmptyState>
          ) : (
            <LogContent
              log={log}
              lines={lines}
              query={q}
              isFiltered={q !== "" || state.lvl !== "trace"}
              nearest={nearest}
              isFollowing={isFollowing}
              onFollow={follow}
              onMark={(t) => void setState({ t, o: null })}
            />
          )}
        </section>
      </div>
    </RunFrame>
  );
}

function LogContent({
  log,
  lines,
  isFiltered,
  ...list
}: {
  log: ReturnType<typeof useLog>;
  isFiltered: boolean;
} & Pick<
  ComponentProps<typeof LogList>,
  "lines" | "query" | "nearest" | "isFollowing" | "onFollow" | "onMark"
>) {
  if (log.error && log.lines === null)
    return <ErrorState what="This log could not be read" error={log.error} onRetry={log.retry} />;
  if (log.lines === null) return <SkeletonRows rows={22} height={24} />;
  if (lines.length === 0)
    return (
      <EmptyState title={isFiltered ? "No line matches" : "This log is empty"}>
        {isFiltered
          ? "New lines that match appear by themselves."
          : "Lines appear as they are written."}
      </EmptyState>
    );
  return (
    <LogList
      {...list}
      lines={lines}
      hasOlder={log.hasOlder}
      isLoading={log.isLoading}
      onOlder={() => void log.readOlder()}
    />
  );
}

const itemsOf = (sources: readonly { id: string; label: string }[]) =>
  sources.map(({ id, label }) => ({ value: id, label }));
