"use client";
import { TOKENS_KEY } from "@liverl/contract/metric";
import { useCallback } from "react";
import { useChartScene } from "#charts/chart-scene.tsx";
import { paintPlot } from "#charts/paint-plot.ts";
import type { PanelSpec } from "#charts/panel-spec.ts";
import { type Paint, PlotBox } from "#charts/plot-box.tsx";
import type { Plot } from "#charts/prepare-plot.ts";
import type { PlotSize } from "#charts/use-plot-size.ts";
import { usePreparedPlot, useTip } from "#charts/use-prepared-plot.ts";

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
  const { look, notes, spans, eventSteps, stale } = useChartScene();
  const { plot, drawn, newest } = usePreparedPlot({ panel, size, version, look });
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
        spans,
        isStale,
      }),
    [plot, panel.limit, eventSteps, notes, spans, isStale],
  );
  const tipAt = useTip({ panel, plot, drawn });
  return (
    <PlotBox {...{ size, plot, drawn, label, newest, tipAt, paint }}>
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
