"use client";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { MetricsOnly } from "#runs/metrics-only.tsx";
import { RunFrame } from "#runs/run-frame.tsx";
import { useRun } from "#runs/use-run.ts";
import { taskHref } from "#shell/links.ts";
import { useRunRoute } from "#shell/use-route.ts";
import { CellLegend } from "#tasks/cell-legend.tsx";
import { countWords, whyShared } from "#tasks/count-words.ts";
import { TASK_MARKS } from "#tasks/judge-task.ts";
import { prepareTasks, TASK_SORTS } from "#tasks/prepare-tasks.ts";
import { TaskTable } from "#tasks/task-table.tsx";
import { TaskTiles } from "#tasks/task-tiles.tsx";
import styles from "#tasks/tasks.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { SearchBox } from "#ui/search-box.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const REFRESH_MS = 10_000;
const SORT_LABELS = {
  change: "Change",
  mean: "Mean",
  variance: "Variance",
  slope: "Slope",
  flipped: "Flipped lately",
  name: "Name",
};
const SHORTCUTS = [
  { keys: ["/"], does: "Filter" },
  { keys: ["←", "→"], does: "In a row: the visit before, after" },
  { keys: ["↑", "↓"], does: "In a row: the task above, below" },
  { keys: ["↵"], does: "Open the group of the visit" },
];
const EMPTY = { rows: [], total: 0 };

/** The tasks of a run at each step that tried them. */
export function TasksPage() {
  const { project, runId } = useRunRoute();
  const trpc = useTRPC();
  const run = useRun(runId);
  const [state, setState] = useQueryStates({
    sort: parseAsStringLiteral(TASK_SORTS).withDefault("change"),
    mark: parseAsStringLiteral(TASK_MARKS),
    mode: parseAsStringLiteral(["train", "eval"]).withDefault("train"),
    q: parseAsString.withDefault(""),
  });
  const query = useQuery(
    trpc.task.ofRun.queryOptions(
      { runId, mode: state.mode },
      { refetchInterval: run.data && !run.data.endedAt ? REFRESH_MS : false },
    ),
  );
  const { rows: tasks, total } = query.data ?? EMPTY;
  const prepared = useMemo(
    () => prepareTasks(tasks, { sort: state.sort, mark: state.mark, name: state.q }),
    [tasks, state],
  );
  const shared = query.data && whyShared(total, query.data.tasks);
  return (
    <RunFrame tab="tasks" crumbs={[{ label: "Tasks" }]} shortcuts={SHORTCUTS} fills>
      <div className={styles.page}>
        <div className={styles.bar}>
          <SearchBox
            label="Task"
            value={state.q}
            onChange={(q) => void setState({ q: q || null })}
            width={220}
            icon="filter"
          />
          <Seg
            label="Sort"
            value={state.sort}
            options={TASK_SORTS.map((value) => ({ value, label: SORT_LABELS[value] }))}
            onChange={(sort) => void setState({ sort })}
          />
          <Seg
            label="Mode"
            value={state.mode}
            options={[
              { value: "train", label: "Train" },
              { value: "eval", label: "Evaluation" },
            ]}
            onChange={(mode) => void setState({ mode })}
          />
          <CellLegend />
          <span className="end f12 i3" role="status">
            {query.data && countWords(prepared.rows.length, total, query.data.tasks)}
          </span>
        </div>
        {shared !== undefined && <p className="f12 i2">{shared}</p>}
        {query.data && total > 0 && (
          <TaskTiles
            total={total}
            counts={prepared.counts}
            mark={state.mark}
            onMark={(mark) => void setState({ mark })}
          />
        )}
        <section className={`panel ${styles.table}`} aria-label="Tasks by step">
          {query.isError && !query.data ? (
            <ErrorState
              what="The tasks could not be read"
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          ) : query.isPending ? (
            <SkeletonRows rows={18} height={20} />
          ) : total === 0 && run.data?.driver === "attached" ? (
            <MetricsOnly project={project} what="tasks" />
          ) : prepared.rows.length === 0 ? (
            <EmptyState title={total === 0 ? "No tasks attempted yet" : "No matching tasks"} />
          ) : (
            <TaskTable
              project={project}
              rows={prepared.rows}
              firstStep={prepared.firstStep}
              lastStep={prepared.lastStep}
              nameOf={(row) => row.task}
              hrefOf={(row) => taskHref(project, row.task)}
            />
          )}
        </section>
      </div>
    </RunFrame>
  );
}
