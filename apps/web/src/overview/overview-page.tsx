"use client";
import type { Health, RunDetail, RunEvent } from "@liverl/contract/run";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { FullViewHost } from "#charts/full-view/full-view-host.tsx";
import { MetricPanel } from "#charts/metric-panel.tsx";
import { RunScene } from "#charts/run-scene.tsx";
import { BootView } from "#overview/boot-view.tsx";
import { CostPanel } from "#overview/cost-panel.tsx";
import { DiagnosisPanel } from "#overview/diagnosis-panel.tsx";
import { EventRibbon } from "#overview/event-ribbon.tsx";
import { prepareAttachedPanels } from "#overview/prepare-attached-panels.ts";
import { type OverviewColumn, prepareOverviewPanels } from "#overview/prepare-overview-panels.ts";
import { VerdictPanel } from "#overview/verdict-panel.tsx";
import { RunFrame } from "#runs/run-frame.tsx";
import { HEALTH } from "#runs/status-of-run.ts";
import { useRun } from "#runs/use-run.ts";
import { runHref } from "#shell/links.ts";
import { useRunRoute } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { Link } from "#ui/link.tsx";
import { Skeleton } from "#ui/skeleton.tsx";
import { StatusWord } from "#ui/status-word.tsx";

const SHORTCUTS = [
  { keys: ["←", "→"], does: "Crosshair to the previous or next step (panel focused)" },
  { keys: ["+", "−"], does: "Zoom in, zoom out (panel focused)" },
  { keys: ["↵"], does: "Open the step under the crosshair" },
];
const NO_EVENTS: RunEvent[] = [];

/** The check-in note of a run: verdict, events, and twelve panels for four questions. Before step 1 it shows the boot. */
export function OverviewPage() {
  const { project, runId } = useRunRoute();
  const trpc = useTRPC();
  const run = useRun(runId).data ?? null;
  const events =
    useQuery(trpc.run.events.queryOptions({ id: runId, limit: 2_000 })).data?.events ?? NO_EVENTS;
  return (
    <RunFrame tab="overview" shortcuts={SHORTCUTS}>
      <div className="page">
        {run === null ? (
          <Skeleton height={96} radius={7} />
        ) : isBooting(run) ? (
          <BootView run={run} />
        ) : (
          <VerdictPanel run={run} />
        )}
        {run !== null && <DiagnosisPanel run={run} />}
        <RunScene project={project} runId={runId} run={run} events={events}>
          <Panels runId={runId} run={run} events={events} project={project} />
          {run !== null && <CostPanel run={run} />}
        </RunScene>
      </div>
    </RunFrame>
  );
}

function isBooting(run: RunDetail): boolean {
  if (run.status === "queued" || run.status === "booting") return true;
  const hasFailedBoot = run.boot.some(({ status }) => status === "failed");
  return (
    run.counts.steps === 0 && run.boot.length > 0 && (run.status === "running" || hasFailedBoot)
  );
}

function Panels({
  project,
  runId,
  run,
  events,
}: {
  project: string;
  runId: string;
  run: RunDetail | null;
  events: readonly RunEvent[];
}) {
  const trpc = useTRPC();
  const keys = useQuery(trpc.metric.keys.queryOptions({ runId })).data?.keys;
  const names = keys?.map(({ key }) => key).join("\n");
  const color = `--c${run?.color ?? 1}`;
  const isAttached = run?.driver === "attached";
  const prepared = useMemo(() => {
    if (names === undefined) return null;
    const known = new Set(names === "" ? [] : names.split("\n"));
    return isAttached && known.size > 0
      ? prepareAttachedPanels(known, color)
      : { columns: prepareOverviewPanels(known, color), own: [] };
  }, [names, color, isAttached]);
  const panels = useMemo(
    () =>
      prepared === null
        ? null
        : [...prepared.columns.flatMap((one) => one.panels), ...prepared.own],
    [prepared],
  );
  if (prepared === null) return <Skeleton height={420} radius={7} />;
  const { columns, own } = prepared;
  const rewardKey = (columns[0]?.panels[0] ?? own[0])?.headKey ?? "";
  return (
    <>
      {run !== null && !isBooting(run) && (
        <EventRibbon
          {...{ project, runId, events }}
          findings={run.verdict.findings}
          keys={[rewardKey]}
        />
      )}
      <div className="quad">
        {columns.map((column) => (
          <Column
            key={column.id}
            column={column}
            health={run === null ? null : run.verdict[column.id]}
          />
        ))}
      </div>
      <FullViewHost panels={panels} />
      {own.length > 0 && (
        <section className="own-panels" aria-label="Logged">
          <h2>
            Logged
            <Link className="lnk f12 end" href={runHref(project, runId, "metrics")}>
              All metrics
            </Link>
          </h2>
          <div className="quad">
            {own.map((panel) => (
              <MetricPanel key={panel.title} panel={panel} />
            ))}
          </div>
        </section>
      )}
    </>
  );
}

const WORDS: Record<OverviewColumn["id"], Record<Health, string>> = {
  progress: { ok: "Learning", warn: "Not rising", bad: "Falling", unknown: "Too early to say" },
  stability: { ok: "Steady", warn: "Drifting", bad: "Unstable", unknown: "Too early to say" },
  performance: { ok: "As usual", warn: "Slow", bad: "Stalled", unknown: "Too early to say" },
  failures: { ok: "None to note", warn: "Some", bad: "Many", unknown: "Too early to say" },
};

function Column({ column, health }: { column: OverviewColumn; health: Health | null }) {
  return (
    <section aria-label={column.title}>
      <h2>
        {column.title}
        {health !== null && (
          <StatusWord kind={HEALTH[health].dot}>{WORDS[column.id][health]}</StatusWord>
        )}
      </h2>
      {column.panels.map((panel) => (
        <MetricPanel key={panel.title} panel={panel} />
      ))}
    </section>
  );
}
