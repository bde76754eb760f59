import type { PanelSpec } from "#charts/panel-spec.ts";
import type { PlotSeries } from "#charts/prepare-plot.ts";
import { at, nearestPlace } from "#charts/series-columns.ts";
import { formatValue } from "#charts/value-format.ts";
import { formatClock } from "#ui/format-time.ts";

export type Tip = {
  head: string;
  rows: { color: string; label: string; value: string }[];
  spoken: string;
};

const FLAG_WORDS = ["", "NaN", "+Inf", "−Inf"];

/** Words of the tooltip at a step: every series' own value, never the smoothed or stacked one. */
export function prepareTip(
  { panel, drawn }: { panel: PanelSpec; drawn: readonly PlotSeries[] },
  step: number,
): Tip {
  let wallMs = 0;
  const rows = panel.series.map((series, index) => {
    const columns = drawn[index]?.columns;
    const place = columns === undefined ? -1 : nearestPlace(columns, step);
    const isHere = columns !== undefined && place >= 0 && at(columns.step, place) === step;
    if (isHere) wallMs = Math.max(wallMs, at(columns.wallMs, place));
    const flag = isHere ? at(columns.flag, place) : 0;
    const value = isHere ? at(columns.value, place) : null;
    return {
      color: series.color,
      label: series.label,
      value: flag > 0 ? (FLAG_WORDS[flag] ?? "") : formatValue(panel.format, value),
    };
  });
  const head = wallMs > 0 ? `step ${step} · ${formatClock(wallMs)}` : `step ${step}`;
  return {
    head,
    rows,
    spoken: `step ${step}: ${rows.map(({ label, value }) => `${label} ${value}`).join(", ")}`,
  };
}
