import type { PaintLimit } from "#charts/paint-plot.ts";
import type { LineStyle } from "#charts/plot-line.ts";
import type { ValueFormat } from "#charts/value-format.ts";

/** One line of a panel. `label` stands in the legend and the tooltip. */
export type SeriesSpec = LineStyle & {
  key: string;
  label: string;
  band?: readonly [lowKey: string, highKey: string];
};

/** What a panel shows; drawn by MetricPanel. */
export type PanelSpec = {
  /** Shown as the panel's name: a metric key, or a family of them. */
  title: string;
  /** One line: what it means. */
  why: string;
  series: readonly SeriesSpec[];
  format: ValueFormat;
  /** The series whose last value stands at the right; its key need not be drawn. Null: none. */
  headKey: string | null;
  isStacked?: boolean;
  startsAtZero?: boolean;
  ceiling?: number;
  limit?: PaintLimit;
};

/** Whose value stands at the right; null where there is one series only, or the value is of none that is drawn. Pure. */
export function headSeriesOf({ series, headKey }: PanelSpec): string | null {
  if (series.length < 2) return null;
  return series.find(({ key }) => key === headKey)?.label ?? null;
}

/** A bound beside several lines says whose it is, and tints nothing: the others are drawn there as well. Pure. */
export function limitOf(panel: PanelSpec, limit: PaintLimit | undefined): PaintLimit | undefined {
  if (limit === undefined || panel.series.length < 2) return limit;
  const whose = headSeriesOf(panel);
  return whose === null
    ? { ...limit, isBare: true }
    : { ...limit, isBare: true, words: `${whose}: ${limit.words}` };
}

/** Every key that a panel reads. */
export function keysOfPanel(panel: PanelSpec): string[] {
  const keys = new Set<string>(panel.headKey === null ? [] : [panel.headKey]);
  for (const series of panel.series) {
    keys.add(series.key);
    if (series.band !== undefined) {
      keys.add(series.band[0]);
      keys.add(series.band[1]);
    }
  }
  return [...keys];
}
