import type { TrajectoryView } from "@liverl/contract/views";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import own from "#trajectories/files.module.css";
import { linesOfFile } from "#trajectories/lines-of-file.ts";
import styles from "#trajectories/trajectories.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { CopyButton } from "#ui/copy-button.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { formatBytes, formatCount } from "#ui/format-number.ts";
import { SkeletonRows } from "#ui/skeleton.tsx";

const REFRESH_MS = 2_000;
const LINE = 18;
/** What one opens a trial's folder for, the first that is there. */
const FIRST = ["trial.log", "proxy_trajectory.json", "result.json"];

/** The files of the trial as they are on disk; while it runs, as they grow. */
export function FilesView({
  view,
  path,
  onPath,
}: {
  view: TrajectoryView;
  path: string | null;
  onPath: (path: string) => void;
}) {
  const { files, rollout } = view;
  const chosen =
    files.find((file) => file.path === path)?.path ??
    FIRST.find((name) => files.some((file) => file.path === name)) ??
    files[0]?.path ??
    null;
  if (chosen === null)
    return (
      <EmptyState title="No file yet">
        They appear as soon as the attempt writes something.
      </EmptyState>
    );
  return (
    <div className={own.view}>
      <nav className={`${own.list} scroll`} aria-label="Files">
        {files.map((file) => (
          <button
            key={file.path}
            type="button"
            aria-current={file.path === chosen || undefined}
            onClick={() => onPath(file.path)}
          >
            <span className="m">{file.path}</span>
            <span className="i3">{formatBytes(file.sizeBytes)}</span>
          </button>
        ))}
      </nav>
      <FileText
        rolloutId={rollout.rolloutId}
        path={chosen}
        isLive={rollout.status === "queued" || rollout.status === "running"}
      />
    </div>
  );
}

function FileText({
  rolloutId,
  path,
  isLive,
}: {
  rolloutId: string;
  path: string;
  isLive: boolean;
}) {
  const query = useQuery(
    useTRPC().trajectory.file.queryOptions(
      { rolloutId, path },
      { placeholderData: keepPreviousData, refetchInterval: isLive ? REFRESH_MS : false },
    ),
  );
  const { refetch } = query;
  const wasLive = useRef(isLive);
  // What was written between the last look and the end.
  useEffect(() => {
    if (wasLive.current && !isLive) void refetch();
    wasLive.current = isLive;
  }, [isLive, refetch]);
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const text = query.data?.text;
  const lines = useMemo(() => (text === undefined ? [] : linesOfFile(path, text)), [path, text]);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 30,
  });
  const { scrollToIndex } = virtual;
  // A file that grows is followed until one scrolls away from its end.
  useEffect(() => {
    if (isLive && isAtEnd.current && lines.length > 0) scrollToIndex(lines.length - 1);
  }, [isLive, lines, scrollToIndex]);
  if (query.isError && text === undefined)
    return (
      <ErrorState
        what={`${path} could not be read`}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  if (query.data === undefined) return <SkeletonRows rows={14} height={LINE} />;
  return (
    <div className={own.text}>
      <div className={styles.files}>
        <b className="med m">{query.data.path}</b>
        <CopyButton text={query.data.text} what="the text" />
        <CopyButton text={query.data.path} what="the path" />
        <span className="i3">
          {formatCount(lines.length)} {lines.length === 1 ? "line" : "lines"}
        </span>
      </div>
      <section
        ref={scroller}
        className={`${styles.rows} scroll`}
        aria-label={path}
        aria-busy={query.isPlaceholderData}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight > scrollHeight - 2 * LINE;
        }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard
        tabIndex={0}
      >
        <div
          className={styles.raw}
          style={{ height: virtual.getTotalSize(), position: "relative" }}
        >
          {virtual.getVirtualItems().map((place) => (
            <div
              key={place.index}
              className={styles.rawLine}
              style={{
                position: "absolute",
                top: 0,
                left: 0,
                transform: `translateY(${place.start}px)`,
              }}
            >
              <i>{place.index + 1}</i>
              <span>{lines[place.index]}</span>
            </div>
          ))}
        </div>
      </section>
    </div>
  );
}
