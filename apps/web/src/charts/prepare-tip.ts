import type { PanelSpec } from "#charts/panel-spec.ts";
import type { PlotSeries } from "#charts/prepare-plot.ts";
import { at, nearestPlace, type SeriesColumns } from "#charts/series-columns.ts";
import { formatValue } from "#charts/value-format.ts";
import { formatClock } from "#ui/format-time.ts";

export type Tip = {
  head: string;
  rows: { color: string; label: string; value: string }[];
  /** What people wrote at the step. */
  notes: readonly string[];
  spoken: string;
};

const FLAG_WORDS = ["", "NaN", "+Inf", "−Inf"];

/** Words of the tooltip at a step: every series' own value, never the smoothed or stacked one. */
export function prepareTip(
  { panel, drawn }: { panel: PanelSpec; drawn: readonly PlotSeries[] },
  step: number,
  notes: readonly string[] = [],
): Tip {
  let wallMs = 0;
  const show = (columns: SeriesColumns | undefined): string => {
    const place = columns === undefined ? -1 : nearestPlace(columns, step);
    const isHere = columns !== undefined && place >= 0 && at(columns.step, place) === step;
    if (!isHere) return formatValue(panel.format, null);
    wallMs = Math.max(wallMs, at(columns.wallMs, place));
    const flag = at(columns.flag, place);
    return flag > 0
      ? (FLAG_WORDS[flag] ?? "")
      : formatValue(panel.format, at(columns.value, place));
  };
  const rows = panel.series.flatMap(({ color, label }, index) => {
    const series = drawn[index];
    const row = { color, label, value: show(series?.columns) };
    if (series?.band === undefined) return [row];
    const [low, high] = series.band;
    return [row, { color, label: "min to max", value: `${show(low)} to ${show(high)}` }];
  });
  const head = wallMs > 0 ? `step ${step} · ${formatClock(wallMs)}` : `step ${step}`;
  return {
    head,
    rows,
    notes,
    spoken: `step ${step}: ${[...rows.map(({ label, value }) => `${label} ${value}`), ...notes].join(", ")}`,
  };
}
