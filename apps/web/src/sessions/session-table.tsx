"use client";
import type { SessionRow } from "@liverl/contract/session-view";
import { useHotkeys } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import styles from "#sessions/sessions.module.css";
import { sessionHref } from "#shell/links.ts";
import { formatCount } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { StatusWord } from "#ui/status-word.tsx";
import { When } from "#ui/when.tsx";

const ROW = 36;
const HEAD = 30;
const COLUMNS = ["Session", "State", "Run", "Task", "#Calls", "#Opened", "#Ended"];
const WIDTHS = "minmax(210px, 1.4fr) 110px minmax(120px, 1fr) minmax(100px, 1fr) 70px 80px 80px";

/** Sessions, newest first, only those in view mounted. `j` and `k` walk, Enter opens. */
export function SessionTable({ rows, project }: { rows: readonly SessionRow[]; project: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const router = useRouter();
  // By id: new sessions come in at the top.
  const [picked, setPicked] = useState<string | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
    scrollMargin: HEAD,
    scrollPaddingStart: HEAD,
  });
  useRowKeys({
    rows,
    picked,
    onPick: (index) => {
      setPicked(rows[index]?.sessionId ?? null);
      virtual.scrollToIndex(index, { align: "auto" });
    },
    onOpen: (sessionId) => router.push(sessionHref(project, sessionId)),
  });
  return (
    <section className={`panel ${styles.wide} ${styles.grows}`} aria-label="Sessions">
      <div
        ref={scroller}
        className={`${styles.table} ${styles.full} scroll`}
        role="table"
        aria-label="Sessions"
        aria-rowcount={rows.length + 1}
      >
        {/* biome-ignore lint/a11y/useFocusableInteractive: the rows are links, which take the focus */}
        <div
          className={`${styles.line} ${styles.head}`}
          style={{ gridTemplateColumns: WIDTHS }}
          role="row"
        >
          {COLUMNS.map((column) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the rows are links, which take the focus
            <span
              key={column}
              role="columnheader"
              className={column.startsWith("#") ? "num" : undefined}
            >
              {column.replace("#", "")}
            </span>
          ))}
        </div>
        <div style={{ height: virtual.getTotalSize(), position: "relative" }} role="rowgroup">
          {virtual.getVirtualItems().map((place) => {
            const row = rows[place.index];
            if (!row) return null;
            return (
              <Link
                key={row.sessionId}
                href={sessionHref(project, row.sessionId)}
                className={styles.line}
                role="row"
                aria-rowindex={place.index + 2}
                data-on={row.sessionId === picked || undefined}
                style={{
                  gridTemplateColumns: WIDTHS,
                  height: ROW,
                  transform: `translateY(${place.start - HEAD}px)`,
                }}
              >
                <Cells row={row} />
              </Link>
            );
          })}
        </div>
      </div>
    </section>
  );
}

function useRowKeys({
  rows,
  picked,
  onPick,
  onOpen,
}: {
  rows: readonly SessionRow[];
  picked: string | null;
  onPick: (index: number) => void;
  onOpen: (sessionId: string) => void;
}): void {
  const walk = (by: number) => {
    const here = rows.findIndex(({ sessionId }) => sessionId === picked);
    onPick(Math.max(0, Math.min(rows.length - 1, here + by)));
  };
  const open = (event: KeyboardEvent) => {
    // A focused control keeps its own Enter.
    if (event.target instanceof Element && event.target.closest("a, button") !== null) return;
    if (picked !== null) onOpen(picked);
  };
  useHotkeys([
    ["J", () => walk(1)],
    ["K", () => walk(-1)],
    ["Enter", open, { preventDefault: false }],
  ]);
}

function Cells({ row }: { row: SessionRow }) {
  return (
    <>
      <span role="cell" className="m trunc">
        {row.sessionId}
      </span>
      <span role="cell">
        <State row={row} />
      </span>
      <span role="cell" className="trunc">
        {row.runName ?? row.runId}
      </span>
      <span role="cell" className="m i2 trunc">
        {row.taskId ?? "—"}
      </span>
      <span role="cell" className="num">
        {formatCount(row.calls)}
      </span>
      <span role="cell" className="num i3">
        <When at={row.openedAt} />
      </span>
      <span role="cell" className="num i3">
        <When at={row.completedAt} />
      </span>
    </>
  );
}

function State({ row }: { row: SessionRow }) {
  if (row.state === "open")
    return (
      <StatusWord kind={row.inFlight > 0 ? "run" : "live"}>
        {row.inFlight > 0 ? `${row.inFlight} in flight` : "open"}
      </StatusWord>
    );
  return row.state === "complete" ? (
    <StatusWord kind="ok">complete</StatusWord>
  ) : (
    <StatusWord kind="warn" title="Its time ran out before anyone completed it">
      expired
    </StatusWord>
  );
}
