"use client";
import type { RunEvent } from "@liverl/contract/run";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useMemo, useRef } from "react";
import { RunScene } from "#charts/run-scene.tsx";
import { MetricSectionList } from "#metrics/metric-section-list.tsx";
import classes from "#metrics/metrics-page.module.css";
import { MetricsToolbar } from "#metrics/metrics-toolbar.tsx";
import { prepareSections } from "#metrics/prepare-sections.ts";
import { RunFrame } from "#runs/run-frame.tsx";
import { useRun } from "#runs/use-run.ts";
import { useRunRoute } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { SearchBox } from "#ui/search-box.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const SHORTCUTS = [
  { keys: ["/"], does: "Find a metric" },
  { keys: ["←", "→"], does: "Crosshair to the previous or next step (panel focused)" },
  { keys: ["↵"], does: "Open the step under the crosshair" },
];
const NO_EVENTS: RunEvent[] = [];
const EMPTY_AGAIN_MS = 2_000;

/** Every series of the run, by prefix. */
export function MetricsPage() {
  const { project, runId } = useRunRoute();
  const trpc = useTRPC();
  const run = useRun(runId).data ?? null;
  const events =
    useQuery(trpc.run.events.queryOptions({ id: runId, limit: 2_000 })).data?.events ?? NO_EVENTS;
  const keys = useQuery(
    trpc.metric.keys.queryOptions(
      { runId },
      // Without a panel there is no live stream that could tell of the first key.
      { refetchInterval: ({ state }) => (state.data?.keys.length === 0 ? EMPTY_AGAIN_MS : false) },
    ),
  );
  const [search, setSearch] = useQueryState("q", parseAsString.withDefault(""));
  const list = useRef<HTMLDivElement>(null);
  const known = keys.data?.keys;
  const sections = useMemo(() => prepareSections(known ?? [], search), [known, search]);
  const found = sections.reduce((sum, section) => sum + section.keys.length, 0);

  return (
    <RunFrame tab="metrics" shortcuts={SHORTCUTS} fills>
      <RunScene project={project} runId={runId} run={run} events={events}>
        <div className={classes.layout}>
          <aside className={`${classes.side} scroll`} aria-label="Sections">
            <SearchBox
              label={known === undefined ? "Find a metric" : `Find among ${known.length} metrics`}
              value={search}
              onChange={(text) => void setSearch(text === "" ? null : text)}
            />
            <h2>
              Sections<span className="end">{search === "" ? "" : `${found} found`}</span>
            </h2>
            {sections.map(({ prefix, keys: shown }) => (
              <a
                key={prefix}
                href={`#section-${prefix}`}
                onClick={(event) => jump(event, list.current, prefix)}
              >
                <span className="m i2 trunc">{prefix}</span>
                <span className={classes.count}>{shown.length}</span>
              </a>
            ))}
          </aside>
          <div ref={list} className={`${classes.list} scroll`}>
            <MetricsToolbar />
            {keys.isPending && <SkeletonRows rows={8} />}
            {keys.isError && known === undefined && (
              <ErrorState
                what="The list of metrics could not be read"
                error={keys.error}
                onRetry={() => void keys.refetch()}
              />
            )}
            {known !== undefined && known.length === 0 && (
              <EmptyState title="No metric yet">They come with the first step.</EmptyState>
            )}
            {known !== undefined && known.length > 0 && found === 0 && (
              <EmptyState title="No metric matches">
                The search is a pattern: try a part of the name.
              </EmptyState>
            )}
            <MetricSectionList sections={sections} color={`--c${run?.color ?? 1}`} />
          </div>
        </div>
      </RunScene>
    </RunFrame>
  );
}

function jump(event: React.MouseEvent, list: HTMLElement | null, prefix: string): void {
  event.preventDefault();
  list?.querySelector(`[id="section-${CSS.escape(prefix)}"]`)?.scrollIntoView({ block: "start" });
}
