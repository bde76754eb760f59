"use client";
import type { Distribution, Quantity } from "@liverl/contract/distribution";
import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ComponentType, memo, useCallback, useMemo } from "react";
import { useChartScene } from "#charts/chart-scene.tsx";
import { spansAt } from "#charts/chart-span.ts";
import { paintHeat } from "#charts/paint-heat.ts";
import { paintPlot } from "#charts/paint-plot.ts";
import { type Paint, PlotBox } from "#charts/plot-box.tsx";
import { prepareHeat } from "#charts/prepare-heat.ts";
import type { Tip } from "#charts/prepare-tip.ts";
import { axisTextWidth } from "#charts/text-width.ts";
import { useInView } from "#charts/use-in-view.ts";
import { usePlotSize } from "#charts/use-plot-size.ts";
import { useSteadyRange } from "#charts/use-steady-range.ts";
import { useXScale } from "#charts/use-x-scale.ts";
import { formatValue, type ValueFormat } from "#charts/value-format.ts";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { Skeleton } from "#ui/skeleton.tsx";

export type DistributionSpec = {
  title: string;
  runId: string;
  quantity: Quantity;
  why: string;
  format: ValueFormat;
  color: string;
};

const AGAIN_MS = 5_000;

/** How a value of the rollouts spreads, step by step: cells as dark as many rollouts are there, and their median. */
export const DistributionPanel = memo(function DistributionPanel({
  panel,
  Actions,
}: {
  panel: DistributionSpec;
  Actions?: ComponentType<{ title: string }>;
}) {
  const [element, isInView] = useInView<HTMLElement>();
  const { range, isGrowing } = useChartScene();
  const { runId, quantity, title, why, format } = panel;
  const query = useQuery(
    useTRPC().metric.distribution.queryOptions(
      { runId, quantity, range: range === null ? undefined : [range[0], range[1]] },
      {
        enabled: isInView,
        refetchInterval: isGrowing && isInView ? AGAIN_MS : false,
        placeholderData: keepPreviousData,
      },
    ),
  );
  const last = query.data?.median.at(-1) ?? null;
  return (
    <article
      ref={element}
      className={isInView ? "mp" : "mp far"}
      aria-label={`${title}: ${why}`}
      data-panel={title}
    >
      <header title={why} draggable={Actions !== undefined}>
        <h3 className="nm">{title}</h3>
        <span className="lv">{formatValue(format, last)}</span>
        {Actions !== undefined && <Actions title={title} />}
      </header>
      <div className="lg why trunc">{why}; the line is the median</div>
      {query.data === undefined || !isInView ? (
        <div className="cv empty cv-note">
          {query.isError ? (
            <>
              <span className="note bad trunc" role="alert">
                {describeError(query.error).message}
              </span>
              <Button size="compact-xs" onClick={() => void query.refetch()}>
                Retry
              </Button>
            </>
          ) : (
            <Skeleton height="100%" />
          )}
        </div>
      ) : query.data.step.length === 0 ? (
        <div className="cv empty cv-note">
          <b>No rollouts here</b>
          <span>{isGrowing ? "They come with a step" : "None of these steps has any"}</span>
        </div>
      ) : (
        <HeatPlot panel={panel} spread={query.data} />
      )}
    </article>
  );
});

function HeatPlot({ panel, spread }: { panel: DistributionSpec; spread: Distribution }) {
  const { store, range, isGrowing, notes, eventSteps, spans } = useChartScene();
  const [element, size] = usePlotSize();
  const [first, last] = [spread.step[0] ?? 0, spread.step.at(-1) ?? 0];
  const extent = store.extent ?? [first, last];
  const x = useSteadyRange(
    range,
    [Math.min(first, extent[0]), Math.max(last, extent[1])],
    isGrowing,
  );
  const scale = useXScale(last);
  const { color, format } = panel;
  const heat = useMemo(
    () =>
      prepareHeat(spread, {
        ...{ x, size, scale, isGrowing, color, format },
        measure: axisTextWidth,
      }),
    [spread, x, size, scale, isGrowing, color, format],
  );
  const paint = useCallback<Paint>(
    (context, box, colorOf) => {
      paintHeat(context, heat, box, colorOf(color));
      paintPlot(context, {
        plot: heat.plot,
        ...box,
        // The median has to be told from cells of the run's own colour.
        colorOf: (name) => colorOf(name === color ? "--ink" : name),
        limit: null,
        eventSteps,
        noteSteps: [...notes.keys()],
        spans,
        isStale: false,
      });
    },
    [heat, color, eventSteps, notes, spans],
  );
  const tipAt = useCallback(
    (step: number) =>
      tipOf(spread, step, format, [
        ...(notes.get(step) ?? []),
        ...spansAt(spans, step).map((span) => span.label),
      ]),
    [spread, format, notes, spans],
  );
  const { plot, drawn } = heat;
  const label = `${panel.title}: ${panel.why}`;
  return (
    <div ref={element} className="cv">
      <PlotBox {...{ size, plot, drawn, label, tipAt, paint }} newest={Math.min(last, x[1])} />
    </div>
  );
}

function tipOf(
  spread: Distribution,
  step: number,
  format: ValueFormat,
  notes: readonly string[],
): Tip {
  const at = spread.step.indexOf(step);
  const show = (values: readonly number[]) => formatValue(format, values[at] ?? null);
  const row = (label: string, value: string) => ({ color: "--ink", label, value });
  const rows =
    at < 0
      ? []
      : [
          row("median", show(spread.median)),
          row("p10 to p90", `${show(spread.p10)} to ${show(spread.p90)}`),
          row("rollouts", String(spread.n[at] ?? 0)),
        ];
  const steps =
    spread.bucketSteps === 1 ? `step ${step}` : `${spread.bucketSteps} steps to ${step}`;
  return {
    head: steps,
    rows,
    notes,
    spoken: `${steps}: ${[...rows.map(({ label, value }) => `${label} ${value}`), ...notes].join(", ")}`,
  };
}
