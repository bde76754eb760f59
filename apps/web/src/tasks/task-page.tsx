"use client";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { runHref, tasksHref } from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import { useProject, useRoutePart } from "#shell/use-route.ts";
import { prepareTasks } from "#tasks/prepare-tasks.ts";
import { TaskTable } from "#tasks/task-table.tsx";
import styles from "#tasks/tasks.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

/** One task over the runs of a project. */
export function TaskPage() {
  const project = useProject();
  const task = useRoutePart("task");
  const trpc = useTRPC();
  const query = useQuery(trpc.task.history.queryOptions({ project, task }));
  const rows = query.data?.rows;
  const prepared = useMemo(
    () => prepareTasks(rows ?? [], { sort: "name", mark: null, name: "" }),
    [rows],
  );
  return (
    <PageFrame
      nav="tasks"
      crumbs={[{ label: "Tasks", href: tasksHref(project) }, { label: task }]}
      title={`${task} · ${project}`}
      fills
    >
      <div className={styles.page}>
        <div className={styles.bar}>
          <h1 className="m">{task}</h1>
          {rows && <span className="f12 i3">{`tried by ${rows.length} runs, newest first`}</span>}
        </div>
        <section className={`panel ${styles.table}`} aria-label="The task by run and step">
          {query.isError ? (
            <ErrorState
              what="The task could not be read"
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          ) : query.isPending ? (
            <SkeletonRows rows={6} height={20} />
          ) : prepared.rows.length === 0 ? (
            <EmptyState title="No run of this project tried this task" />
          ) : (
            <TaskTable
              project={project}
              rows={prepared.rows}
              firstStep={prepared.firstStep}
              lastStep={prepared.lastStep}
              nameOf={(row) => row.runId}
              hrefOf={(row) =>
                runHref(
                  project,
                  row.runId,
                  `rollouts?${new URLSearchParams({ f: `task = "${row.task.replace(/["\\]/g, "\\$&")}"` })}`,
                )
              }
            />
          )}
        </section>
      </div>
    </PageFrame>
  );
}
