"use client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { taskHref } from "#shell/links.ts";
import type { PreparedTask, ProjectTaskSort } from "#tasks/prepare-project-tasks.ts";
import styles from "#tasks/tasks.module.css";
import { formatCount, formatNumber, formatPercent } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { Meter } from "#ui/meter.tsx";

const ROW = 28;
const HEADS: readonly { sort: ProjectTaskSort; label: string; title?: string }[] = [
  { sort: "name", label: "Task" },
  { sort: "solved", label: "Pass@1", title: "Share of rollouts with a reward that solved it" },
  { sort: "mean", label: "Mean reward" },
  { sort: "rollouts", label: "Rollouts", title: "That ended" },
  { sort: "runs", label: "Runs", title: "That tried it" },
];

/** Tasks with what they came to over all runs; only rows in view are mounted. */
export function ProjectTaskTable({
  project,
  rows,
  sort,
  isAscending,
  onSort,
}: {
  project: string;
  rows: readonly PreparedTask[];
  sort: ProjectTaskSort;
  isAscending: boolean;
  onSort: (sort: ProjectTaskSort) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div ref={scroller} className={`${styles.scroller} scroll`}>
      <table className={`t ${styles.project}`} aria-label="Tasks" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th
                key={head.sort}
                scope="col"
                title={head.title}
                className={head.sort === "name" ? "" : "num"}
                aria-sort={
                  head.sort === sort ? (isAscending ? "ascending" : "descending") : undefined
                }
              >
                <button type="button" className="th-button" onClick={() => onSort(head.sort)}>
                  {head.label}
                  {head.sort === sort && (isAscending ? " ↑" : " ↓")}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={before} />
          {items.map(({ index }) => {
            const row = rows[index];
            return row && <TaskLine key={row.task} project={project} row={row} at={index + 2} />;
          })}
          <Gap height={after} />
        </tbody>
      </table>
    </div>
  );
}

/** In the place of rows that are not mounted. */
function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td colSpan={HEADS.length} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function TaskLine({ project, row, at }: { project: string; row: PreparedTask; at: number }) {
  return (
    <tr aria-rowindex={at} style={{ height: ROW }}>
      <td>
        <span className="row">
          <Link className="m trunc" href={taskHref(project, row.task)} prefetch={false}>
            {row.task}
          </Link>
          {row.flagged > 0 && (
            <span className="chip bad" title="Rollouts with a sign that the reward was not earned">
              {formatCount(row.flagged)} flagged
            </span>
          )}
        </span>
      </td>
      <td className="num">
        {row.passAt1 === null ? (
          "—"
        ) : (
          <span className={styles.share}>
            <Meter share={row.passAt1} width={44} />
            {formatPercent(row.passAt1, 0)}
          </span>
        )}
      </td>
      <td className="num">{formatNumber(row.mean)}</td>
      <td className="num">
        {formatCount(row.ended)}
        {row.ended > row.known && (
          <small className="i3" title="Without a reward">
            {" "}
            −{formatCount(row.ended - row.known)}
          </small>
        )}
      </td>
      <td className="num">{formatCount(row.runs)}</td>
    </tr>
  );
}
