"use client";
import { useDebouncedCallback } from "@mantine/hooks";
import { useMemo, useState } from "react";
import { Brush, Line, LineChart, YAxis } from "recharts";
import type { StepRange } from "#charts/metric-store.ts";
import { at, type SeriesColumns } from "#charts/series-columns.ts";

const SETTLES_MS = 250;
export const BRUSH_PX = 46;
const MOST_MISSING = 200;

/** All steps of a panel in small, with handles for the part that is shown above. */
export function FullBrush({
  series,
  range,
  width,
  left,
  right,
  onRange,
}: {
  series: readonly { key: string; color: string; columns: SeriesColumns }[];
  range: StepRange | null;
  width: number;
  /** Of the plot above, CSS pixels. */
  left: number;
  right: number;
  onRange: (range: StepRange | null) => void;
}) {
  const rows = useMemo(() => rowsOf(series), [series]);
  const whole = useMemo(
    () => ({
      startIndex: range === null ? 0 : placeOf(rows, range[0]),
      endIndex: range === null ? rows.length - 1 : placeOf(rows, range[1]),
    }),
    [rows, range],
  );
  // While a handle is dragged it leads; a zoom from elsewhere moves it.
  const [held, setHeld] = useState<{ of: unknown; at: typeof whole }>({ of: whole, at: whole });
  const shown = held.of === whole ? held.at : whole;
  const tell = useDebouncedCallback((start: number, end: number) => {
    const isAll = start === 0 && end === rows.length - 1;
    const [first, last] = [rows[start]?.step, rows[end]?.step];
    if (isAll) onRange(null);
    else if (first !== undefined && last !== undefined && last > first) onRange([first, last]);
  }, SETTLES_MS);
  if (rows.length < 3) return null;
  return (
    <div className="full-brush" role="group" aria-label="Steps shown">
      <LineChart
        width={width}
        height={BRUSH_PX}
        data={rows}
        margin={{ top: 2, right, bottom: 2, left }}
        accessibilityLayer={false}
      >
        <Brush
          dataKey="step"
          height={BRUSH_PX - 4}
          travellerWidth={8}
          stroke="var(--line-2)"
          fill="var(--surface)"
          startIndex={shown.startIndex}
          endIndex={shown.endIndex}
          onChange={({ startIndex, endIndex }) => {
            if (startIndex === undefined || endIndex === undefined) return;
            setHeld({ of: whole, at: { startIndex, endIndex } });
            tell(startIndex, endIndex);
          }}
        >
          <LineChart>
            <YAxis hide domain={["dataMin", "dataMax"]} />
            {series.map(({ key, color }, index) => (
              <Line
                key={key}
                dataKey={`v${index}`}
                type="linear"
                stroke={`var(${color})`}
                strokeWidth={1}
                dot={false}
                connectNulls
                isAnimationActive={false}
              />
            ))}
          </LineChart>
        </Brush>
      </LineChart>
    </div>
  );
}

type Row = { step: number; [series: `v${number}`]: number | null };

/** A row for each step that any of the series has. */
function rowsOf(series: readonly { columns: SeriesColumns }[]): Row[] {
  const rows = new Map<number, Row>();
  for (const [index, { columns }] of series.entries()) {
    for (let place = 0; place < columns.length; place += 1) {
      const step = at(columns.step, place);
      const row = rows.get(step) ?? { step };
      const value = at(columns.value, place);
      row[`v${index}`] = Number.isFinite(value) ? value : null;
      rows.set(step, row);
    }
  }
  return evenly([...rows.values()].sort((a, b) => a.step - b.step));
}

/** The brush knows rows, not steps: empty ones stand where steps are missing, so that it keeps the proportions of the axis above. */
function evenly(rows: readonly Row[]): Row[] {
  const gaps = rows.slice(1).map(({ step }, place) => step - (rows[place]?.step ?? step));
  const usual = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 1;
  return rows.flatMap((row, place) => {
    const missing = Math.min(MOST_MISSING, Math.round((gaps[place - 1] ?? 0) / usual) - 1);
    const before = rows[place - 1]?.step ?? row.step;
    const between = Array.from({ length: Math.max(0, missing) }, (_, at) => ({
      step: before + (at + 1) * usual,
    }));
    return [...between, row];
  });
}

function placeOf(rows: readonly Row[], step: number): number {
  const place = rows.findIndex((row) => row.step >= step);
  return place < 0 ? rows.length - 1 : place;
}
