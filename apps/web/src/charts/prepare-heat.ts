import type { Distribution } from "@liverl/contract/distribution";
import type { StepRange } from "#charts/metric-store.ts";
import { type Plot, type PlotSeries, type PlotWish, preparePlot } from "#charts/prepare-plot.ts";
import { prepareTicks } from "#charts/prepare-ticks.ts";
import { createColumns, foldPoint, type SeriesColumns } from "#charts/series-columns.ts";
import type { MeasureText } from "#charts/text-width.ts";
import type { ValueFormat } from "#charts/value-format.ts";
import { positionOfStep, type XScale } from "#charts/x-scale.ts";

export type HeatCell = {
  /** Steps, halves included: a column is as wide as its bucket. */
  from: number;
  to: number;
  low: number;
  high: number;
  /** Share of the column's rollouts, 0…1. */
  share: number;
};
export type Heat = { plot: Plot; drawn: PlotSeries[]; cells: HeatCell[] };

/** Cells of a distribution over steps, with the median as a line over them. Empty bins have no cell. */
export function prepareHeat(
  spread: Distribution,
  wish: {
    x: StepRange;
    size: PlotWish["size"];
    format?: ValueFormat;
    measure?: MeasureText;
    scale: XScale;
    isGrowing: boolean;
    color: string;
  },
): Heat {
  const { bucketSteps, low, high, bins } = spread;
  const height = (high - low) / bins;
  const cells = spread.counts.flatMap((column, at) => {
    const first = Math.floor((spread.step[at] ?? 0) / bucketSteps) * bucketSteps - 0.5;
    const n = spread.n[at] ?? 0;
    return column.flatMap((count, bin): HeatCell[] => {
      if (count === 0) return [];
      const bottom = low + bin * height;
      return [
        {
          from: first,
          to: first + bucketSteps,
          low: bottom,
          high: bottom + height,
          share: count / n,
        },
      ];
    });
  });
  const drawn = [{ color: wish.color, columns: mediansOf(spread, wish.scale) }];
  // Bins of whole numbers have them in their middle: only those are values.
  const isWhole = Math.abs(low * 2) % 2 === 1;
  const round = prepareTicks(low, high).filter(
    (tick) => tick >= low && tick <= high && (!isWhole || Number.isInteger(tick)),
  );
  const ticks = round.length > 0 ? round : [Math.ceil(low)];
  const yAxis = { ends: [low, high] as const, ticks, values: ticks, isEven: true };
  return { cells, drawn, plot: preparePlot({ ...wish, series: drawn, smoothing: 0, yAxis }) };
}

function mediansOf({ step, median }: Distribution, scale: XScale): SeriesColumns {
  const columns = createColumns(Math.max(1, step.length));
  const wall: XScale = { ...scale, mode: "wall" };
  for (const [at, one] of step.entries())
    foldPoint(columns, 1, {
      step: one,
      value: median[at] ?? null,
      flag: 0,
      wallMs: positionOfStep(one, wall) || 0,
    });
  return columns;
}
