"use client";
import { useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from "react";
import { ChartFrame, GUTTER } from "#charts/chart-frame.tsx";
import { useChartScene } from "#charts/chart-scene.tsx";
import type { StepRange } from "#charts/metric-store.ts";
import { paintPlot } from "#charts/paint-plot.ts";
import type { PanelSpec } from "#charts/panel-spec.ts";
import { type PlotSeries, preparePlot } from "#charts/prepare-plot.ts";
import { createColumns } from "#charts/series-columns.ts";
import { usePlotPointer } from "#charts/use-plot-pointer.ts";
import { useSteadyRange } from "#charts/use-steady-range.ts";
import { formatTicks } from "#charts/value-format.ts";

const NONE = createColumns(1);
const EMPTY: StepRange = [0, 1];

/** The plot box of a panel: frame, canvas, crosshair, tooltip, zoom. `version` grows when the series changed. */
export function MetricPlot({
  panel,
  version,
  label,
}: {
  panel: PanelSpec;
  version: number;
  label: string;
}) {
  const scene = useChartScene();
  const id = useId();
  const scheme = useComputedColorScheme("light");
  const { ref: sizeRef, width, height } = useElementSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = {
    width: Math.max(0, width - GUTTER.left - GUTTER.right),
    height: Math.max(0, height - GUTTER.top - GUTTER.bottom),
  };

  // The store's columns and extent grow in place; `version` tells when to look.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const extent = useMemo(() => scene.store.extent ?? EMPTY, [version, scene.store]);
  const x = useSteadyRange(scene.range, extent, scene.isGrowing);
  // A point beyond the axis is painted together with the axis that has room for it, not a frame before it.
  const shown = useRef(version);
  if (scene.range !== null || extent[1] <= x[1]) shown.current = version;
  const shownVersion = shown.current;
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const { plot, drawn, newest } = useMemo(() => {
    const drawn: PlotSeries[] = panel.series.map((series) => ({
      ...series,
      columns: scene.store.columns(series.key) ?? NONE,
      band:
        series.band === undefined
          ? undefined
          : [
              scene.store.columns(series.band[0]) ?? NONE,
              scene.store.columns(series.band[1]) ?? NONE,
            ],
    }));
    const limit = panel.limit;
    const highest = limit === undefined ? 0 : highestOf(drawn, x);
    const plot = preparePlot({
      series: drawn,
      x,
      width: box.width,
      isStacked: panel.isStacked,
      startsAtZero: panel.startsAtZero,
      ceiling: panel.ceiling,
      smoothing: scene.smoothing,
      // A limit far above the line would flatten it; it comes into the picture at a third of the way.
      includes: limit !== undefined && highest * 3 >= limit.value ? limit.value : null,
    });
    return { plot, drawn, newest: Math.min(scene.store.extent?.[1] ?? x[1], x[1]) };
  }, [shownVersion, panel, x, scene.store, scene.smoothing, box.width]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `scheme` decides what the CSS variables hold
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (element === null || context === null || context === undefined || box.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const wide = Math.round((box.width + 6) * ratio);
    const high = Math.round((box.height + 6) * ratio);
    if (element.width !== wide || element.height !== high) {
      element.width = wide;
      element.height = high;
    }
    const style = getComputedStyle(element);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, wide, high);
    context.setTransform(ratio, 0, 0, ratio, 3 * ratio, 3 * ratio);
    paintPlot(context, {
      plot,
      ...box,
      colorOf: (name) => style.getPropertyValue(name).trim(),
      limit: panel.limit ?? null,
      eventSteps: scene.eventSteps,
      isStale: scene.stale !== null,
    });
  }, [plot, box.width, box.height, panel.limit, scene.eventSteps, scene.stale === null, scheme]);

  const pointer = usePlotPointer({ id, plot, drawn, panel, box, scene });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn under the pointer changes with the plot
  useEffect(() => pointer.redraw(), [pointer, plot]);

  const yLabels = useMemo(() => formatTicks(panel.format, plot.yTicks), [panel.format, plot]);
  const isReady = width > 0;
  return (
    <div ref={sizeRef} className="cv">
      {isReady && (
        <ChartFrame
          width={width}
          height={height}
          axes={{ x: plot.x, y: plot.y, xTicks: plot.xTicks, yTicks: plot.yTicks, yLabels }}
        />
      )}
      <canvas
        ref={canvas}
        className="plot-canvas"
        style={{
          left: GUTTER.left - 3,
          top: GUTTER.top - 3,
          width: box.width + 6,
          height: box.height + 6,
        }}
        aria-hidden="true"
      />
      <div
        ref={pointer.surface}
        className="plot-surface"
        style={{ left: GUTTER.left, top: GUTTER.top, width: box.width, height: box.height }}
        role="slider"
        tabIndex={0}
        aria-label={`${label}: choose a step`}
        aria-orientation="horizontal"
        aria-valuemin={plot.x[0]}
        aria-valuemax={newest}
        aria-valuenow={newest}
      >
        <div ref={pointer.hair} className="hair" hidden />
        <div ref={pointer.dots} />
        <div ref={pointer.zoom} className="zoom" hidden />
      </div>
      <div ref={pointer.tip} className="tip" hidden />
    </div>
  );
}

function highestOf(series: readonly PlotSeries[], x: StepRange): number {
  let highest = 0;
  for (const { columns } of series) {
    for (let place = 0; place < columns.length; place += 1) {
      const step = columns.step[place] ?? 0;
      const value = columns.value[place] ?? 0;
      if (step >= x[0] && step <= x[1] && Number.isFinite(value) && value > highest)
        highest = value;
    }
  }
  return highest;
}
