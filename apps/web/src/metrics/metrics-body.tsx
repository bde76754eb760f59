"use client";
import { Quantity } from "@liverl/contract/distribution";
import type { RunDetail, RunEvent } from "@liverl/contract/run";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";
import { useChartScene } from "#charts/chart-scene.tsx";
import { useOpenFull } from "#charts/full-view/full-look.ts";
import { FullViewHost } from "#charts/full-view/full-view-host.tsx";
import { keysOfPanel } from "#charts/panel-spec.ts";
import { AnnotateDialog } from "#metrics/annotate-dialog.tsx";
import { ExportMenu } from "#metrics/export-menu.tsx";
import { PanelLayoutProvider } from "#metrics/layout-context.tsx";
import { MetricSectionList } from "#metrics/metric-section-list.tsx";
import classes from "#metrics/metrics-page.module.css";
import { MetricsSide } from "#metrics/metrics-side.tsx";
import { MetricsToolbar } from "#metrics/metrics-toolbar.tsx";
import { type Move, movePanel, stepPanel, togglePin } from "#metrics/move-panel.ts";
import { type LayoutGroup, prepareLayout } from "#metrics/prepare-layout.ts";
import { useMetricsKeys } from "#metrics/use-metrics-keys.ts";
import type { MetricsViewState } from "#metrics/use-metrics-view.ts";
import { ViewsList } from "#metrics/views-list.tsx";
import { EventRibbon } from "#overview/event-ribbon.tsx";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const EMPTY_AGAIN_MS = 2_000;
const NO_KEYS: string[] = [];

/** Side, toolbar, events and panels of the metrics page. */
export function MetricsBody({
  project,
  runId,
  run,
  events,
  view,
}: {
  project: string;
  runId: string;
  run: RunDetail | null;
  events: readonly RunEvent[];
  view: MetricsViewState;
}) {
  const { state, change } = view;
  const { store, crosshair, range, showAll } = useChartScene();
  const list = useRef<HTMLDivElement>(null);
  const [noteStep, setNoteStep] = useState<number | null>(null);
  const { known, groups, query } = useLayout(runId, run, view);
  const annotate = () => setNoteStep(crosshair.get()?.step ?? range?.[1] ?? store.extent?.[1] ?? 0);
  const pin = useCallback(
    (title: string) => change({ pins: togglePin(state.pins, title) }),
    [change, state.pins],
  );
  const layout = useMemo(() => ({ pins: new Set(state.pins), toggle: pin }), [state.pins, pin]);
  const close = useCallback(
    (id: string, isClosed: boolean) =>
      change({
        closed: isClosed ? [...state.closed, id] : state.closed.filter((other) => other !== id),
      }),
    [change, state.closed],
  );
  const panels = useMemo(
    () =>
      known === undefined || view.isPending
        ? null
        : groups.flatMap((one) =>
            one.panels.flatMap((panel) => (panel.kind === "metric" ? panel.panel : [])),
          ),
    [known, view.isPending, groups],
  );
  const apply = (patch: ReturnType<typeof movePanel>) => patch !== null && change(patch);
  const shown = useMemo(() => shownKeys(groups, state.closed), [groups, state.closed]);
  useMetricsKeys({
    state,
    change,
    onPin: pin,
    onFull: useOpenFull(),
    onAnnotate: annotate,
    onShowAll: showAll,
  });

  return (
    <div className={classes.layout}>
      <MetricsSide
        search={state.search}
        onSearch={(search) => change({ search })}
        metrics={known?.length ?? null}
        groups={groups}
        onJump={(id) => jump(list.current, id)}
      >
        <ViewsList project={project} view={view} />
      </MetricsSide>
      <div ref={list} className={`${classes.list} scroll`} data-size={state.size}>
        <MetricsToolbar state={state} change={change} onAnnotate={annotate}>
          <ExportMenu runId={runId} keys={shown} range={range} />
        </MetricsToolbar>
        {view.isLost && (
          <p className="note warn-t" role="status">
            The view of this link is not there any more: this is the preset's own.
          </p>
        )}
        {known !== undefined && known.length > 0 && (
          <EventRibbon
            project={project}
            runId={runId}
            events={events}
            findings={run?.verdict.findings}
            keys={shown.slice(0, 1)}
            hasTools={false}
            onNotes={setNoteStep}
          />
        )}
        <Notices query={query} found={groups.length > 0} isReady={!view.isPending} />
        <PanelLayoutProvider value={layout}>
          <MetricSectionList
            groups={groups}
            closed={state.closed}
            onClose={close}
            onMove={(move: Move) => apply(movePanel(groups, state, move))}
            onStep={(title, by) => apply(stepPanel(groups, state, title, by))}
          />
        </PanelLayoutProvider>
      </div>
      <FullViewHost panels={panels} />
      <AnnotateDialog
        runId={runId}
        events={events}
        step={noteStep}
        onClose={() => setNoteStep(null)}
      />
    </div>
  );
}

function useLayout(runId: string, run: RunDetail | null, { state, isPending }: MetricsViewState) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.metric.keys.queryOptions(
      { runId },
      // Without a panel there is no live stream that could tell of the first key.
      { refetchInterval: ({ state }) => (state.data?.keys.length === 0 ? EMPTY_AGAIN_MS : false) },
    ),
  );
  // The list comes again with new values; the panels stay as they are while the names do.
  const names = query.data?.keys.map(({ key }) => key).join("\n");
  const known = useMemo(
    () => (names === undefined ? undefined : names === "" ? NO_KEYS : names.split("\n")),
    [names],
  );
  const color = `--c${run?.color ?? 1}`;
  const hasRollouts = run !== null && run.counts.rollouts > 0;
  const { search, pins, order } = state;
  const groups = useMemo(
    () =>
      known === undefined || isPending
        ? []
        : prepareLayout({
            keys: known,
            rollouts: hasRollouts ? { runId, quantities: Quantity.options } : null,
            ...{ color, search, pins, order },
          }),
    [known, isPending, hasRollouts, runId, color, search, pins, order],
  );
  return { known, groups, query };
}

/** What stands where there are no panels. */
function Notices({
  query,
  found,
  isReady,
}: {
  query: ReturnType<typeof useLayout>["query"];
  found: boolean;
  isReady: boolean;
}) {
  if (query.isError && query.data === undefined)
    return (
      <ErrorState
        what="The list of metrics could not be read"
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  if (query.data === undefined || !isReady) return <SkeletonRows rows={8} />;
  if (query.data.keys.length === 0)
    return <EmptyState title="No metric yet">They come with the first step.</EmptyState>;
  if (!found)
    return (
      <EmptyState title="No metric matches">
        The search is a pattern: try a part of the name.
      </EmptyState>
    );
  return null;
}

/** Keys of the panels in open sections. */
function shownKeys(groups: readonly LayoutGroup[], closed: readonly string[]): string[] {
  const keys = new Set<string>();
  for (const { id, panels } of groups) {
    if (closed.includes(id)) continue;
    for (const one of panels)
      if (one.kind === "metric") for (const key of keysOfPanel(one.panel)) keys.add(key);
  }
  return [...keys];
}

function jump(list: HTMLElement | null, id: string): void {
  list?.querySelector(`[id="section-${CSS.escape(id)}"]`)?.scrollIntoView({ block: "start" });
}
