"use client";
import type { SessionRow } from "@liverl/contract/session-view";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRouter } from "next/navigation";
import { type CSSProperties, useRef, useState } from "react";
import { describeReward } from "#sessions/describe-reward.ts";
import styles from "#sessions/sessions.module.css";
import { sessionHref } from "#shell/links.ts";
import { useScrollMemory } from "#shell/use-scroll-memory.ts";
import { formatCount } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { StatusWord } from "#ui/status-word.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";
import { When } from "#ui/when.tsx";

const ROW = 36;
const HEAD = 30;
const COLUMNS = [
  ...["Session", "State", "Run", "Task", "#Calls", "#Reward", "Ended by", "#Opened", "#Ended"],
];
const NARROW_COLUMNS = new Set(["Session", "State", "#Reward"]);
const GRID = {
  "--columns":
    "minmax(190px, 1.2fr) 100px minmax(100px, 1fr) minmax(100px, 1fr) 56px minmax(60px, 0.5fr) 116px 72px 72px",
  "--columns-narrow": "minmax(0, 1fr) 88px minmax(52px, auto)",
} as CSSProperties;

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
  // After the virtualizer, which scrolls to the top as it begins.
  useScrollMemory(scroller, "sessions");
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
        style={GRID}
      >
        {/* biome-ignore lint/a11y/useFocusableInteractive: the rows are links, which take the focus */}
        <div className={`${styles.line} ${styles.head}`} role="row">
          {COLUMNS.map((column) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the rows are links, which take the focus
            <span
              key={column}
              role="columnheader"
              className={`${column.startsWith("#") ? "num" : ""} ${NARROW_COLUMNS.has(column) ? "" : styles.extra}`}
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
  usePageKeys([
    ["J", () => walk(1)],
    ["K", () => walk(-1)],
    ["Enter", open, { preventDefault: false }],
  ]);
}

function Cells({ row }: { row: SessionRow }) {
  const reward = describeReward(row.reward);
  return (
    <>
      <span role="cell" className="m trunc">
        {row.sessionId}
      </span>
      <span role="cell">
        <State row={row} />
      </span>
      <span role="cell" className={`${styles.extra} trunc`}>
        {row.runName ?? row.runId}
      </span>
      <span role="cell" className={`${styles.extra} m i2 trunc`}>
        {row.taskId ?? "—"}
      </span>
      <span role="cell" className={`${styles.extra} num`}>
        {formatCount(row.calls)}
      </span>
      <span role="cell" className="num trunc" title={reward ?? undefined}>
        {reward ?? "—"}
      </span>
      <span role="cell" className={`${styles.extra} i2 trunc`}>
        {row.termination ?? "—"}
      </span>
      <span role="cell" className={`${styles.extra} num i3`}>
        <When at={row.openedAt} />
      </span>
      <span role="cell" className={`${styles.extra} num i3`}>
        <When at={row.completedAt} />
      </span>
    </>
  );
}

function State({ row }: { row: SessionRow }) {
  if (row.state === "open")
    return (
      <StatusWord kind={row.inFlight > 0 ? "run" : "stop"}>
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
