"use client";
import { TOKENS_KEY } from "@liverl/contract/metric";
import { useCallback, useMemo, useRef } from "react";
import { useChartScene } from "#charts/chart-scene.tsx";
import type { StepRange } from "#charts/metric-store.ts";
import { paintPlot } from "#charts/paint-plot.ts";
import type { PanelSpec } from "#charts/panel-spec.ts";
import { type Paint, PlotBox } from "#charts/plot-box.tsx";
import { type Plot, type PlotSeries, preparePlot } from "#charts/prepare-plot.ts";
import { prepareTip } from "#charts/prepare-tip.ts";
import { createColumns } from "#charts/series-columns.ts";
import type { PlotSize } from "#charts/use-plot-size.ts";
import { useSteadyRange } from "#charts/use-steady-range.ts";
import { useXScale } from "#charts/use-x-scale.ts";
import { formatTicks, type ValueFormat } from "#charts/value-format.ts";

const NONE = createColumns(1);
const EMPTY: StepRange = [0, 1];

/** The plot box of a panel of metrics. `version` grows when the series changed. */
export function MetricPlot({
  panel,
  size,
  version,
  label,
}: {
  panel: PanelSpec;
  size: PlotSize;
  version: number;
  label: string;
}) {
  const { store, range, look, isGrowing, notes, eventSteps, stale } = useChartScene();
  // The store's columns and extent grow in place; `version` tells when to look.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const extent = useMemo(() => store.extent ?? EMPTY, [version, store]);
  const x = useSteadyRange(range, extent, isGrowing);
  // A point beyond the axis is painted together with the axis that has room for it, not a frame before it.
  const shown = useRef(version);
  if (range !== null || extent[1] <= x[1]) shown.current = version;
  const shownVersion = shown.current;
  const scale = useXScale(shownVersion);
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const { plot, drawn, newest } = useMemo(() => {
    const columnsOf = (key: string) => store.columns(key) ?? NONE;
    const drawn: PlotSeries[] = panel.series.map((series) => ({
      ...series,
      columns: columnsOf(series.key),
      band: series.band && [columnsOf(series.band[0]), columnsOf(series.band[1])],
    }));
    const limit = panel.limit;
    const highest = limit === undefined ? 0 : highestOf(drawn, x);
    const { x: _mode, tokens: _tokens, ...drawnHow } = look;
    const plot = preparePlot({
      ...drawnHow,
      series: drawn,
      x,
      scale,
      isGrowing: isGrowing && range === null,
      width: size.box.width,
      isStacked: panel.isStacked,
      startsAtZero: panel.startsAtZero,
      ceiling: panel.ceiling,
      isTime: panel.format === "duration",
      // A limit far above the line would flatten it; it comes into the picture at a third of the way.
      includes: limit !== undefined && highest * 3 >= limit.value ? limit.value : null,
    });
    return { plot, drawn, newest: Math.min(store.extent?.[1] ?? x[1], x[1]) };
  }, [shownVersion, panel, x, scale, store, look, isGrowing, range === null, size.box.width]);

  const isStale = stale !== null;
  const paint = useCallback<Paint>(
    (context, box, colorOf) =>
      paintPlot(context, {
        plot,
        ...box,
        colorOf,
        limit: panel.limit ?? null,
        eventSteps,
        noteSteps: [...notes.keys()],
        isStale,
      }),
    [plot, panel.limit, eventSteps, notes, isStale],
  );
  const tipAt = useCallback(
    (step: number) => prepareTip({ panel, drawn }, step, notes.get(step)),
    [panel, drawn, notes],
  );
  const yLabels = useMemo(() => yLabelsOf(panel.format, plot), [panel.format, plot]);
  return (
    <PlotBox {...{ size, plot, drawn, yLabels, label, newest, tipAt, paint }}>
      <LeftOut plot={plot} />
    </PlotBox>
  );
}

/** How many points the axis has no room for. */
function LeftOut({ plot: { clipped, belowLog, blind } }: { plot: Plot }) {
  if (clipped === 0 && belowLog === 0 && blind === null) return null;
  return (
    <div className="cv-out">
      {blind === "times" && (
        <span title="All of these points were read at one moment, as from a file that was there before the run was attached">
          no times
        </span>
      )}
      {blind === "tokens" && (
        <span title={`The run does not log ${TOKENS_KEY}`}>tokens not logged</span>
      )}
      {clipped > 0 && (
        <span title={`Beyond the 1st and 99th percentile: ${clipped} points are not shown`}>
          {clipped} out
        </span>
      )}
      {belowLog > 0 && (
        <span
          title={`A log axis has no place for zero and below: ${belowLog} points are not shown`}
        >
          {belowLog} ≤ 0
        </span>
      )}
    </div>
  );
}

/** Decades are printed each with its own digits. */
function yLabelsOf(format: ValueFormat, { yValues, isLog }: Plot): string[] {
  if (!isLog) return formatTicks(format, yValues);
  return yValues.flatMap((value) => formatTicks(format, [value]));
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
