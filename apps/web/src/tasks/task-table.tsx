"use client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRouter } from "next/navigation";
import { useRef } from "react";
import { groupHref } from "#shell/links.ts";
import { useScrollMemory } from "#shell/use-scroll-memory.ts";
import type { JudgedTask, TaskMark } from "#tasks/judge-task.ts";
import { TaskStrip } from "#tasks/task-strip.tsx";
import styles from "#tasks/tasks.module.css";
import { Link } from "#ui/link.tsx";

const ROW = 22;
const HEAD = 31;
const MARK_TONES: Record<TaskMark, string> = {
  suspect: "chip bad",
  learned: "chip ok",
  forgotten: "chip warn",
  flipped: "chip on",
  "never solved": "chip",
};

/** Tasks, or one task's runs, with their visits; only rows in view are mounted. */
export function TaskTable({
  project,
  rows,
  firstStep,
  lastStep,
  nameOf,
  hrefOf,
}: {
  project: string;
  rows: readonly JudgedTask[];
  firstStep: number;
  lastStep: number;
  nameOf: (row: JudgedTask) => string;
  hrefOf: (row: JudgedTask) => string;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const enterAt = useRef<number | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
    scrollMargin: HEAD,
  });
  useScrollMemory(scroller, "tasks");
  /** The keyboard goes on at the same step of the row above or below, which may have to be mounted first. */
  const walk = (from: number, by: 1 | -1, step: number) => {
    const to = from + by;
    if (to < 0 || to >= rows.length) return;
    virtual.scrollToIndex(to, { align: "auto" });
    enterAt.current = step;
    requestAnimationFrame(() => {
      const strip = scroller.current?.querySelector<HTMLElement>(
        `[data-row="${to}"] [role=slider]`,
      );
      strip?.focus({ preventScroll: true });
      enterAt.current = null;
    });
  };
  return (
    <div ref={scroller} className={`${styles.scroller} scroll`}>
      <div className={`${styles.row} ${styles.head}`}>
        <span>Name</span>
        <span className={styles.steps}>
          <span>step {firstStep}</span>
          <span>{lastStep}</span>
        </span>
        <span className="num" title="Mean reward of the last visit">
          Last
        </span>
        <span className="num" title="Last visit against the first">
          Change
        </span>
        <span />
      </div>
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map((place) => {
          const row = rows[place.index];
          if (!row) return null;
          return (
            <div
              key={place.key}
              className={styles.row}
              data-row={place.index}
              style={{
                ...{ position: "absolute", top: 0, left: 0, right: 0 },
                transform: `translateY(${place.start - HEAD}px)`,
              }}
            >
              <Link className="m trunc" href={hrefOf(row)} prefetch={false} title={nameOf(row)}>
                {nameOf(row)}
              </Link>
              <TaskStrip
                label={nameOf(row)}
                cells={row.cells}
                firstStep={firstStep}
                lastStep={lastStep}
                enterAt={() => enterAt.current}
                onLeave={(by, step) => walk(place.index, by, step)}
                onOpen={(group) => router.push(groupHref(project, row.runId, group))}
              />
              <span className="num">{row.last === null ? "—" : row.last.toFixed(2)}</span>
              <span className="num i2">{formatChange(row.change)}</span>
              <span>{row.mark && <span className={MARK_TONES[row.mark]}>{row.mark}</span>}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function formatChange(change: number | null): string {
  if (change === null) return "—";
  return `${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(2)}`;
}
