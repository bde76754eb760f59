"use client";
import { Button, Modal } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from "react";
import { useChartScene } from "#charts/chart-scene.tsx";
import { BRUSH_PX, FullBrush } from "#charts/full-view/full-brush.tsx";
import { FullChart } from "#charts/full-view/full-chart.tsx";
import type { FullLook } from "#charts/full-view/full-look.ts";
import { FullToolbar, nextAxis } from "#charts/full-view/full-toolbar.tsx";
import styles from "#charts/full-view/full-view.module.css";
import { SeriesTable } from "#charts/full-view/series-table.tsx";
import { useMetricLimit } from "#charts/metric-limits.tsx";
import { keysOfPanel, limitOf, type PanelSpec } from "#charts/panel-spec.ts";
import { type Paint, PlotBox } from "#charts/plot-box.tsx";
import { columnsOfBuckets } from "#charts/series-columns.ts";
import { usePlotSize } from "#charts/use-plot-size.ts";
import { usePreparedPlot, useTip } from "#charts/use-prepared-plot.ts";
import { useSeriesVersion } from "#charts/use-series-version.ts";
import { formatValue } from "#charts/value-format.ts";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { Skeleton } from "#ui/skeleton.tsx";

/** One panel over the whole page, at an address of its own. */
export function FullView({ panel: given, view }: { panel: PanelSpec | null; view: FullLook }) {
  const limit = useMetricLimit(given?.headKey ?? null);
  const panel = useMemo(
    () => given && { ...given, limit: limitOf(given, given.limit ?? limit) },
    [given, limit],
  );
  const { range, window, showAll } = useChartScene();
  const { look, change } = view;
  function takeKey(event: KeyboardEvent): void {
    const isTyping = event.target instanceof HTMLInputElement;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "l") change({ flog: !look.isLog });
    else if (key === "b") change({ fband: !look.hasBand });
    else if (key === "x") change({ fx: nextAxis(look.x) });
    else if (key === "z" && (range !== null || window !== null)) showAll();
  }
  return (
    <Modal
      opened
      fullScreen
      onClose={view.close}
      withCloseButton={false}
      padding={0}
      transitionProps={{ duration: 0 }}
      aria-label={view.title ?? "Panel"}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole view, which bubble up from its own controls */}
      <div className={styles.view} onKeyDown={takeKey}>
        {panel === null ? (
          <EmptyState
            title={`No panel ${view.title}`}
            action={<Button onClick={view.close}>Close</Button>}
          >
            The run does not log it, or the search leaves it out.
          </EmptyState>
        ) : (
          <FullPanel panel={panel} view={view} />
        )}
      </div>
    </Modal>
  );
}

const NOTHING: Paint = () => undefined;
/** Buckets of the whole series, for the small picture of all steps. */
const BRUSH_BUCKETS = 200;

function FullPanel({ panel, view }: { panel: PanelSpec; view: FullLook }) {
  const { store, range, window, setRange, stale, whenFirst, spans, eventSteps, notes } =
    useChartScene();
  const { look, yRange, hidden, lines } = view;
  const keys = useMemo(() => keysOfPanel(panel), [panel]);
  const version = useSeriesVersion(store, keys);
  const shown = useMemo(
    () => ({ ...panel, series: panel.series.filter(({ key }) => !hidden.has(key)) }),
    [panel, hidden],
  );
  const [element, size] = usePlotSize();
  const { plot, drawn, newest } = usePreparedPlot({ panel: shown, size, version, look, yRange });
  const tipAt = useTip({ panel: shown, plot, drawn });
  const whole = useWholeSeries(shown);
  const area = useRef<HTMLDivElement>(null);
  const failed = keys.find((key) => store.status(key) === "error" && store.columns(key) === null);
  const isLoading = panel.series.every(({ key }) => store.columns(key) === null);
  const isEmpty = panel.series.every(({ key }) => (store.columns(key)?.length ?? 0) === 0);
  const isReady = failed === undefined && !isEmpty && size.width > 0;
  useEffect(() => {
    if (isReady) area.current?.querySelector<HTMLElement>("[role=slider]")?.focus();
  }, [isReady]);
  const extras = useMemo(
    () => ({
      limit: shown.limit ?? null,
      lines: lines.map((value) => ({ value, text: formatValue(panel.format, value) })),
      spans,
      eventSteps,
      noteSteps: [...notes.keys()],
    }),
    [shown.limit, lines, panel.format, spans, eventSteps, notes],
  );
  const chartOf = useCallback(
    () => area.current?.querySelector<SVGSVGElement>("svg.recharts-surface") ?? null,
    [],
  );
  return (
    <>
      <FullToolbar panel={panel} view={view} plot={plot} chartOf={chartOf} shown={shown} />
      {stale !== null && <div className={`${styles.note} warn-t`}>◆ {stale}</div>}
      <div className={styles.body}>
        <div className={styles.charts} ref={area}>
          <div ref={element} className={`cv ${styles.plot}`}>
            {failed !== undefined ? (
              <div className="empty cv-note" role="alert">
                <span className="note bad">{describeError(store.error(failed)).message}</span>
                <Button size="compact-xs" onClick={() => store.retry(keys)}>
                  Retry
                </Button>
              </div>
            ) : isLoading ? (
              <Skeleton height="100%" />
            ) : isEmpty ? (
              <EmptyState title="No points yet">{whenFirst}</EmptyState>
            ) : shown.series.length === 0 ? (
              <EmptyState title="All series are hidden">Choose one in the list.</EmptyState>
            ) : (
              isReady && (
                <PlotBox
                  {...{ size, plot, drawn, newest, tipAt }}
                  label={`${panel.title}: ${panel.why}`}
                  paint={NOTHING}
                  frame={<FullChart plot={plot} size={size} extras={extras} />}
                />
              )
            )}
          </div>
          <div style={{ height: BRUSH_PX }}>
            {isReady && window === null && (
              <FullBrush
                series={whole}
                range={range}
                width={size.width}
                left={plot.box.left}
                right={size.width - plot.box.left - plot.box.width}
                onRange={setRange}
              />
            )}
          </div>
        </div>
        <SeriesTable panel={panel} shown={shown} plot={plot} drawn={drawn} view={view} />
      </div>
    </>
  );
}

/** All steps of the lines, in few buckets, whatever is zoomed. */
function useWholeSeries({ series }: PanelSpec) {
  const trpc = useTRPC();
  const { sourceOf, isGrowing } = useChartScene();
  const sources = series.map(({ key, color }) => ({ ...sourceOf(key), joined: key, color }));
  const runs = [...new Set(sources.map(({ runId }) => runId))];
  const queries = useQueries({
    queries: runs.map((runId) =>
      trpc.metric.series.queryOptions(
        {
          runId,
          keys: [...new Set(sources.flatMap((one) => (one.runId === runId ? one.key : [])))],
          buckets: BRUSH_BUCKETS,
        },
        { staleTime: 30_000, refetchInterval: isGrowing ? 30_000 : false },
      ),
    ),
  });
  const stamp = queries.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  const names = sources.map(({ joined }) => joined).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the two say when sources and answers changed
  return useMemo(
    () =>
      sources.flatMap(({ runId, key, joined, color }) => {
        const answer = queries[runs.indexOf(runId)]?.data;
        const found = answer?.series.find((one) => one.key === key);
        return found === undefined
          ? []
          : [{ key: joined, color, columns: columnsOfBuckets(found) }];
      }),
    [stamp, names],
  );
}
