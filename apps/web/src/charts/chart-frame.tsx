"use client";
import { memo } from "react";
import { CartesianGrid, LineChart, XAxis, YAxis } from "recharts";

export const GUTTER = { left: 48, right: 10, top: 6, bottom: 17 } as const;

/** Ticks as numbers of the axis, with what to print there. */
export type FrameAxes = {
  x: readonly [number, number];
  xLabels: readonly string[];
  y: readonly [number, number];
  xTicks: readonly number[];
  yTicks: readonly number[];
  yLabels: readonly string[];
};

/** Axes and grid only; the series are painted on a canvas that lies in the plot box. Drawn anew only when a tick changes. */
export const ChartFrame = memo(
  function ChartFrame({ axes, width, height }: { axes: FrameAxes; width: number; height: number }) {
    const [first, last] = axes.x;
    const steps = new Map(axes.xTicks.map((tick, index) => [tick, axes.xLabels[index] ?? ""]));
    const labels = new Map(axes.yTicks.map((tick, index) => [tick, axes.yLabels[index] ?? ""]));
    return (
      <div className="plot-frame" aria-hidden="true">
        <LineChart
          width={width}
          height={height}
          data={[{ step: first }, { step: last }]}
          margin={{ top: GUTTER.top, right: GUTTER.right, bottom: 0, left: 0 }}
          accessibilityLayer={false}
          tabIndex={-1}
        >
          <CartesianGrid vertical={false} stroke="var(--grid)" />
          <XAxis
            dataKey="step"
            type="number"
            domain={[first, last === first ? first + 1 : last]}
            allowDataOverflow
            ticks={[...axes.xTicks]}
            interval={0}
            height={GUTTER.bottom}
            axisLine={false}
            tickLine={false}
            tick={({ x, y, payload }) => (
              <text
                x={x}
                y={Number(y) + 4}
                className="ax"
                textAnchor={anchorOf(payload.value, first, last)}
              >
                {steps.get(payload.value) ?? ""}
              </text>
            )}
          />
          <YAxis
            type="number"
            domain={[axes.y[0], axes.y[1]]}
            allowDataOverflow
            ticks={[...axes.yTicks]}
            interval={0}
            width={GUTTER.left}
            axisLine={false}
            tickLine={false}
            tick={({ y, payload }) => (
              <text x={GUTTER.left - 6} y={Number(y) + 3.5} className="ax" textAnchor="end">
                {labels.get(payload.value) ?? ""}
              </text>
            )}
          />
        </LineChart>
      </div>
    );
  },
  (before, after) =>
    before.width === after.width &&
    before.height === after.height &&
    JSON.stringify(before.axes) === JSON.stringify(after.axes),
);

function anchorOf(step: number, first: number, last: number): "start" | "middle" | "end" {
  if (step === last && last !== first) return "end";
  return step === first ? "start" : "middle";
}
