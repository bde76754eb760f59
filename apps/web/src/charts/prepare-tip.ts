import type { XAxis } from "@liverl/contract/metrics-view";
import type { PanelSpec } from "#charts/panel-spec.ts";
import { placeNear } from "#charts/pick-step.ts";
import type { Plot, PlotSeries } from "#charts/prepare-plot.ts";
import { at, nearestPlace, type SeriesColumns } from "#charts/series-columns.ts";
import { formatValue } from "#charts/value-format.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatCount } from "#ui/format-number.ts";
import { formatClock } from "#ui/format-time.ts";

export type Tip = {
  head: string;
  rows: { color: string; label: string; value: string }[];
  /** What is to be said of the step: what people wrote, and spans that it lies in. */
  notes: readonly string[];
  spoken: string;
};

type Shown = {
  panel: PanelSpec;
  plot: Pick<Plot, "lines" | "span">;
  drawn: readonly PlotSeries[];
};

const FLAG_WORDS = ["", "NaN", "+Inf", "−Inf"];
/** A point further away than this part of the axis is not of the same moment. */
const NEAR = 0.05;

/** Words of the tooltip at a step: every series' own value, never the smoothed or stacked one. `at`: a place of the axis instead. */
export function prepareTip(
  { panel, plot, drawn }: Shown,
  { step, at: position = null }: { step: number; at?: number | null },
  notes: readonly string[] = [],
): Tip {
  let wallMs = 0;
  const show = (columns: SeriesColumns | undefined, place: number): string => {
    if (columns === undefined || place < 0) return formatValue(panel.format, null);
    wallMs = Math.max(wallMs, at(columns.wallMs, place));
    const flag = at(columns.flag, place);
    return flag > 0
      ? (FLAG_WORDS[flag] ?? "")
      : formatValue(panel.format, at(columns.value, place));
  };
  const placeIn = (columns: SeriesColumns | undefined): number => {
    const place = columns === undefined ? -1 : nearestPlace(columns, step);
    return columns !== undefined && place >= 0 && at(columns.step, place) === step ? place : -1;
  };
  const rows = panel.series.flatMap(({ color, label, end }, index) => {
    const { columns, band } = drawn[index] ?? {};
    const line = plot.lines[index];
    const name = end ?? label;
    if (position !== null && line !== undefined) {
      const place = placeNear(line, position);
      const isNear =
        Math.abs(at(line.at, place) - position) <= (plot.span[1] - plot.span[0]) * NEAR;
      const value = show(columns, isNear ? place : -1);
      const where = isNear ? ` · step ${at(line.step, place)}` : "";
      return [{ color, label: `${name}${where}`, value }];
    }
    const row = { color, label: name, value: show(columns, placeIn(columns)) };
    if (band === undefined) return [row];
    const [low, high] = band.map((edge) => show(edge, placeIn(edge)));
    return [row, { color, label: "min to max", value: `${low} to ${high}` }];
  });
  const mode = drawn.find(({ scale }) => scale !== undefined)?.scale?.mode ?? "step";
  const head =
    position === null
      ? wallMs > 0
        ? `step ${step} · ${formatClock(wallMs)}`
        : `step ${step}`
      : headAt(mode, position);
  return {
    head,
    rows,
    notes,
    spoken: `${position === null ? `step ${step}` : head}: ${[...rows.map(({ label, value }) => `${label} ${value}`), ...notes].join(", ")}`,
  };
}

function headAt(mode: XAxis, position: number): string {
  if (mode === "wall") return formatClock(position);
  return mode === "tokens"
    ? `after ${formatCount(position)} tokens`
    : `after ${formatDuration(position)}`;
}
