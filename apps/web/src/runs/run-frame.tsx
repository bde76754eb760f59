"use client";
import type { ReactNode } from "react";
import { RunHeader } from "#runs/run-header.tsx";
import { RunTabs } from "#runs/run-tabs.tsx";
import { useRun } from "#runs/use-run.ts";
import type { Crumb } from "#shell/crumbs.tsx";
import type { JumpAct } from "#shell/jump.tsx";
import { runHref, runsHref } from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import type { RunTab } from "#shell/run-tabs.ts";
import type { Shortcut } from "#shell/shortcuts.ts";
import { useRunRoute } from "#shell/use-route.ts";
import { isNotFound } from "#ui/describe-error.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Link } from "#ui/link.tsx";

/**
 * The frame of every page of a run: breadcrumbs, header with facts and actions, tabs.
 * `crumbs` come after the run's name; `fills` gives the page no scroll of its own; `compact` leaves out header and tabs.
 */
export function RunFrame({
  tab,
  children,
  crumbs = [],
  shortcuts = [],
  fills = false,
  compact = false,
  acts = [],
}: {
  tab: RunTab;
  children: ReactNode;
  crumbs?: readonly Crumb[];
  shortcuts?: readonly Shortcut[];
  fills?: boolean;
  compact?: boolean;
  acts?: readonly JumpAct[];
}) {
  const { project, runId } = useRunRoute();
  const query = useRun(runId);
  const run = query.data;
  const name = run?.name ?? runId;
  const path: Crumb[] = [
    { label: "Runs", href: runsHref(project) },
    crumbs.length === 0 ? { label: name } : { label: name, href: runHref(project, runId) },
    ...crumbs,
  ];
  const title =
    crumbs.length === 0 ? `${name} · ${tab}` : `${crumbs.at(-1)?.label ?? ""} · ${name}`;
  const head = compact ? undefined : (
    <>
      <RunHeader run={run ?? null} name={name} isLoading={query.isPending} />
      <RunTabs project={project} runId={runId} run={run ?? null} tab={tab} />
    </>
  );
  return (
    <PageFrame
      nav="runs"
      runId={runId}
      crumbs={path}
      title={title}
      head={head}
      shortcuts={shortcuts}
      fills={fills}
      narrowRail={compact}
      acts={acts}
    >
      {run === undefined && isNotFound(query.error) ? (
        <EmptyState
          title={`There is no run ${runId}`}
          action={
            <Link className="lnk" href={runsHref(project)}>
              All runs of {project}
            </Link>
          }
        >
          The list has the ids of all that there are.
        </EmptyState>
      ) : query.isError && run === undefined ? (
        <ErrorState
          what="This run could not be read"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : (
        children
      )}
    </PageFrame>
  );
}
