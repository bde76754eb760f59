"use client";
import { useCallback, useMemo, useRef } from "react";
import { type ChartLook, useChartScene } from "#charts/chart-scene.tsx";
import { spansAt } from "#charts/chart-span.ts";
import type { StepRange } from "#charts/metric-store.ts";
import type { PanelSpec } from "#charts/panel-spec.ts";
import { type Plot, type PlotSeries, preparePlot } from "#charts/prepare-plot.ts";
import { prepareTip } from "#charts/prepare-tip.ts";
import { at, createColumns } from "#charts/series-columns.ts";
import { axisTextWidth } from "#charts/text-width.ts";
import type { PlotSize } from "#charts/use-plot-size.ts";
import { useSteadyRange } from "#charts/use-steady-range.ts";
import { useXScale } from "#charts/use-x-scale.ts";

const NONE = createColumns(1);
const EMPTY: StepRange = [0, 1];

/** A panel as it is drawn at this size. `version` grows when its series changed. */
export function usePreparedPlot({
  panel,
  size,
  version,
  look,
  yRange,
}: {
  panel: PanelSpec;
  size: PlotSize;
  version: number;
  look: ChartLook;
  yRange?: readonly [number | null, number | null];
}): { plot: Plot; drawn: readonly PlotSeries[]; newest: number } {
  const { store, range, window: chosen, isGrowing, scaleOf } = useChartScene();
  // A part of another axis says nothing of this one.
  const window = chosen?.mode === look.x ? chosen.ends : null;
  // The store's columns and extent grow in place; `version` tells when to look.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const extent = useMemo(() => store.extent ?? EMPTY, [version, store]);
  const x = useSteadyRange(range, extent, isGrowing);
  // A point beyond the axis is painted together with the axis that has room for it, not a frame before it.
  const shown = useRef(version);
  if (range !== null || extent[1] <= x[1]) shown.current = version;
  const shownVersion = shown.current;
  const scale = useXScale(shownVersion, look);
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  return useMemo(() => {
    const columnsOf = (key: string) => store.columns(key) ?? NONE;
    const drawn: PlotSeries[] = panel.series.map((series) => ({
      ...series,
      columns: columnsOf(series.key),
      band: series.band && [columnsOf(series.band[0]), columnsOf(series.band[1])],
      scale: scaleOf?.(series.key, look.x),
    }));
    const limit = panel.limit;
    const highest = limit === undefined ? 0 : highestOf(drawn, x);
    const { x: _mode, tokens: _tokens, ...drawnHow } = look;
    const plot = preparePlot({
      ...drawnHow,
      series: drawn,
      x,
      window,
      scale,
      size,
      yRange,
      isGrowing: isGrowing && range === null,
      format: panel.format,
      measure: axisTextWidth,
      isStacked: panel.isStacked,
      startsAtZero: panel.startsAtZero,
      ceiling: panel.ceiling,
      // A limit far above the line would flatten it; it comes into the picture at a third of the way.
      includes: limit !== undefined && highest * 3 >= limit.value ? limit.value : null,
    });
    return { plot, drawn, newest: Math.min(store.extent?.[1] ?? x[1], x[1]) };
  }, [
    ...[shownVersion, panel, x, window, scale, scaleOf, store, look, yRange],
    ...[isGrowing, range === null, size],
  ]);
}

/** The words of a panel's tooltip. */
export function useTip(shown: {
  panel: PanelSpec;
  plot: Plot;
  drawn: readonly PlotSeries[];
}): (step: number, position: number | null) => ReturnType<typeof prepareTip> {
  const { notes, spans } = useChartScene();
  const { panel, plot, drawn } = shown;
  return useCallback(
    (step, position) =>
      prepareTip({ panel, plot, drawn }, { step, at: position }, [
        ...(notes.get(step) ?? []),
        ...spansAt(spans, step).map(({ label }) => label),
      ]),
    [panel, plot, drawn, notes, spans],
  );
}

function highestOf(series: readonly PlotSeries[], x: StepRange): number {
  let highest = 0;
  for (const { columns } of series) {
    for (let place = 0; place < columns.length; place += 1) {
      const step = at(columns.step, place);
      const value = at(columns.value, place);
      if (step >= x[0] && step <= x[1] && Number.isFinite(value) && value > highest)
        highest = value;
    }
  }
  return highest;
}
