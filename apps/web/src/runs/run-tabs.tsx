"use client";
import type { RunDetail } from "@liverl/contract/run";
import { useQueryClient } from "@tanstack/react-query";
import { runHref } from "#shell/links.ts";
import { RUN_TABS, type RunTab, runTabTail } from "#shell/run-tabs.ts";
import { useTRPC } from "#trpc/client.tsx";
import { formatCount } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";

function countOf(tab: RunTab, run: RunDetail | null): number | null {
  if (run === null) return null;
  const { counts } = run;
  const found = {
    metrics: counts.metrics,
    steps: counts.steps,
    rollouts: counts.rollouts,
    checkpoints: counts.checkpoints,
    events: counts.events,
  };
  return tab in found ? found[tab as keyof typeof found] : null;
}

export function RunTabs({
  project,
  runId,
  run,
  tab,
}: {
  project: string;
  runId: string;
  run: RunDetail | null;
  tab: RunTab;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  /** What the metrics page asks before it can place a panel. */
  const fetchMetrics = () => {
    void queries.prefetchQuery(trpc.metric.keys.queryOptions({ runId }));
    void queries.prefetchQuery(trpc.view.list.queryOptions({ project, runId }));
    void queries.prefetchQuery(trpc.run.events.queryOptions({ id: runId, limit: 2_000 }));
  };
  return (
    <nav className="tabs" aria-label="Run">
      {RUN_TABS.map(({ id, label }) => {
        const count = countOf(id, run);
        return (
          <Link
            key={id}
            // The newest step's address is another at each step.
            prefetch={id !== "steps"}
            onPointerEnter={id === "metrics" ? fetchMetrics : undefined}
            onFocus={id === "metrics" ? fetchMetrics : undefined}
            href={runHref(project, runId, runTabTail(id, run?.step ?? 0))}
            className={id === tab ? "on" : ""}
            aria-current={id === tab ? "page" : undefined}
          >
            {label}
            {count !== null && count > 0 && <span className="cnt">{formatCount(count)}</span>}
          </Link>
        );
      })}
    </nav>
  );
}
