"use client";
import { Button } from "@mantine/core";
import { type ComponentType, memo, useMemo } from "react";
import { useChartScene } from "#charts/chart-scene.tsx";
import { useOpenFull } from "#charts/full-view/full-look.ts";
import { seriesStats } from "#charts/full-view/series-stats.ts";
import { useMetricLimit } from "#charts/metric-limits.tsx";
import { MetricPlot } from "#charts/metric-plot.tsx";
import type { StepRange } from "#charts/metric-store.ts";
import { headSeriesOf, keysOfPanel, limitOf, type PanelSpec } from "#charts/panel-spec.ts";
import { prepareLast } from "#charts/prepare-plot.ts";
import { useInView } from "#charts/use-in-view.ts";
import { usePlotSize } from "#charts/use-plot-size.ts";
import { useSeriesVersion } from "#charts/use-series-version.ts";
import { formatDelta, formatValue } from "#charts/value-format.ts";
import { describeError } from "#ui/describe-error.ts";
import { Skeleton } from "#ui/skeleton.tsx";

/** Steps over which the change beside the last value is taken. */
const DELTA_STEPS = 10;
const NO_KEYS: string[] = [];
const EVER: StepRange = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** One metric, or a few that belong together. Loads and draws only while it is near the screen. */
export const MetricPanel = memo(function MetricPanel({
  panel: given,
  isFirst = false,
  Actions,
}: {
  panel: PanelSpec;
  /** Whether it is among the first of a page, and so most likely on the screen. */
  isFirst?: boolean;
  /** What can be done with the panel, at the end of its head. Has to be the same component from render to render. */
  Actions?: ComponentType<{ title: string }>;
}) {
  const limit = useMetricLimit(given.headKey);
  const panel = useMemo(
    () => ({ ...given, limit: limitOf(given, given.limit ?? limit) }),
    [given, limit],
  );
  const [element, isInView] = useInView<HTMLElement>(isFirst);
  const { store, stale, range } = useChartScene();
  const openFull = useOpenFull();
  const keys = useMemo(() => keysOfPanel(panel), [panel]);
  const version = useSeriesVersion(store, isInView ? keys : NO_KEYS);
  const head = panel.headKey === null ? null : store.columns(panel.headKey);
  const last = prepareLast(head, range, DELTA_STEPS);
  const whose = headSeriesOf(panel);
  const value = formatValue(panel.format, last.value);
  const label = `${panel.title}: ${panel.why}`;
  return (
    <article
      ref={element}
      className={isInView ? "mp" : "mp far"}
      aria-label={label}
      data-panel={panel.title}
    >
      <header title={panel.why} draggable={Actions !== undefined}>
        <h3 className="nm">
          <button
            type="button"
            title={`Open ${panel.title} in full view`}
            onClick={() => openFull(panel.title)}
          >
            {panel.title}
          </button>
        </h3>
        {panel.headKey !== null && (
          <span
            className={last.value === null || stale !== null ? "lv i3" : "lv"}
            title={last.step === null ? undefined : `At step ${last.step}`}
          >
            {value}
          </span>
        )}
        {whose !== null && last.value !== null && <span className="dl">{whose.toLowerCase()}</span>}
        {whose === null && last.delta !== null && (
          <span className="dl" title={`Change over ${DELTA_STEPS} steps`}>
            {formatDelta(panel.format, last.delta)}
          </span>
        )}
        {Actions !== undefined && isInView && <Actions title={panel.title} />}
        {panel.headKey !== null && (
          <span className="sr">
            {last.step === null
              ? "No value yet"
              : `Last value${whose === null ? "" : ` of ${whose.toLowerCase()}`} ${value} at step ${last.step}`}
          </span>
        )}
      </header>
      {stale !== null && last.value !== null ? (
        <div className="lg why trunc warn-t">◆ {stale}</div>
      ) : panel.series.length > 1 || panel.headKey === null ? (
        <Legend panel={panel} />
      ) : (
        <div className="lg why trunc">{panel.why}</div>
      )}
      {isInView ? (
        <PanelBody panel={panel} version={version} label={label} keys={keys} />
      ) : (
        <div className="cv" />
      )}
    </article>
  );
});

/** Names of the lines; each with its last value where the head has none. */
function Legend({ panel }: { panel: PanelSpec }) {
  const { store, range, window, look, scaleOf } = useChartScene();
  const lastOf = (key: string): number | null => {
    const columns = panel.headKey === null ? store.columns(key) : null;
    if (columns === null) return null;
    const stats = seriesStats(
      { columns, scale: scaleOf?.(key, look.x) },
      { x: range ?? EVER, window: window?.mode === look.x ? window.ends : null },
    );
    return stats.last?.value ?? null;
  };
  return (
    <div className="lg">
      {panel.series.map((series) => {
        const last = lastOf(series.key);
        return (
          <span key={series.key} title={series.label} className={last === null ? "" : "lg-v"}>
            <i className="sw" style={{ background: `var(${series.color})` }} />
            <span className="trunc">{series.end ?? series.label}</span>
            {last !== null && <b>{formatValue(panel.format, last)}</b>}
          </span>
        );
      })}
    </div>
  );
}

function PanelBody({
  panel,
  version,
  label,
  keys,
}: {
  panel: PanelSpec;
  version: number;
  label: string;
  keys: readonly string[];
}) {
  const { store, whenFirst } = useChartScene();
  const [element, size] = usePlotSize();
  const drawn = panel.series.map(({ key }) => key);
  const failed = drawn.find((key) => store.status(key) === "error" && store.columns(key) === null);
  const isLoading = drawn.every((key) => store.columns(key) === null);
  const isEmpty = drawn.every((key) => (store.columns(key)?.length ?? 0) === 0);
  if (failed === undefined && !isEmpty)
    return (
      <div ref={element} className="cv">
        <MetricPlot panel={panel} size={size} version={version} label={label} />
      </div>
    );
  return (
    <div ref={element} className={isLoading && failed === undefined ? "cv" : "cv empty cv-note"}>
      {failed !== undefined ? (
        <>
          <span className="note bad trunc" role="alert">
            {describeError(store.error(failed)).message}
          </span>
          <Button size="compact-xs" onClick={() => store.retry(keys)}>
            Retry
          </Button>
        </>
      ) : isLoading ? (
        <Skeleton height="100%" />
      ) : (
        <>
          <b>No points yet</b>
          <span>{whenFirst}</span>
        </>
      )}
    </div>
  );
}
