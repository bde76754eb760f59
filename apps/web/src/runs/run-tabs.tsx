"use client";
import type { RunDetail } from "@liverl/contract/run";
import { runHref } from "#shell/links.ts";
import { RUN_TABS, type RunTab, runTabTail } from "#shell/run-tabs.ts";
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
  return (
    <nav className="tabs" aria-label="Run">
      {RUN_TABS.map(({ id, label }) => {
        const count = countOf(id, run);
        return (
          <Link
            key={id}
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
