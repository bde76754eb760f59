"use client";
import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { runsHref } from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import { useProject } from "#shell/use-route.ts";
import { countWords, whyShared } from "#tasks/count-words.ts";
import { PROJECT_TASK_SORTS, prepareProjectTasks } from "#tasks/prepare-project-tasks.ts";
import { ProjectTaskTable } from "#tasks/project-task-table.tsx";
import styles from "#tasks/tasks.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Link } from "#ui/link.tsx";
import { SearchBox } from "#ui/search-box.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const STATE = {
  sort: parseAsStringLiteral(PROJECT_TASK_SORTS).withDefault("rollouts"),
  asc: parseAsBoolean.withDefault(false),
  mode: parseAsStringLiteral(["train", "eval"]).withDefault("train"),
  q: parseAsString.withDefault(""),
};

/** The tasks that runs of a project tried. */
export function ProjectTasksPage() {
  const project = useProject();
  const trpc = useTRPC();
  const [state, setState] = useQueryStates(STATE);
  const query = useQuery(trpc.task.ofProject.queryOptions({ project, mode: state.mode }));
  const { sort, asc, q } = state;
  const rows = useMemo(
    () => prepareProjectTasks(query.data?.rows ?? [], { sort, isAscending: asc, name: q }),
    [query.data, sort, asc, q],
  );
  const shared = query.data && whyShared(query.data.total, query.data.tasks);
  return (
    <PageFrame nav="tasks" crumbs={[{ label: "Tasks" }]} title={`Tasks · ${project}`} fills>
      <div className={styles.page}>
        <div className={styles.bar}>
          <SearchBox
            label="Task"
            value={q}
            onChange={(next) => void setState({ q: next || null })}
            width={220}
            icon="filter"
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
          <span className="end f12 i3" role="status">
            {query.data && countWords(rows.length, query.data.total, query.data.tasks)}
          </span>
        </div>
        {shared !== undefined && <p className="f12 i2">{shared}</p>}
        <section className={`panel ${styles.table}`} aria-label="Tasks of the project">
          {query.isError && !query.data ? (
            <ErrorState
              what="The tasks could not be read"
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          ) : query.isPending ? (
            <SkeletonRows rows={18} height={20} />
          ) : query.data?.total === 0 ? (
            <EmptyState
              title={
                state.mode === "train"
                  ? "No run of this project has tried a task yet"
                  : "No run of this project was evaluated yet"
              }
              action={
                <Link className="lnk" href={runsHref(project)}>
                  To the runs
                </Link>
              }
            />
          ) : rows.length === 0 ? (
            <EmptyState title="No task matches" />
          ) : (
            <ProjectTaskTable
              project={project}
              rows={rows}
              sort={sort}
              isAscending={asc}
              onSort={(next) =>
                void setState(next === sort ? { asc: !asc } : { sort: next, asc: next === "name" })
              }
            />
          )}
        </section>
      </div>
    </PageFrame>
  );
}
