"use client";
import { memo } from "react";

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
    const [low, high] = axes.y;
    const plot = { right: width - GUTTER.right, bottom: height - GUTTER.bottom };
    const xOf = (step: number) =>
      GUTTER.left + ((step - first) / (last - first || 1)) * (plot.right - GUTTER.left);
    const yOf = (value: number) =>
      plot.bottom - ((value - low) / (high - low || 1)) * (plot.bottom - GUTTER.top);
    return (
      <svg className="plot-frame" aria-hidden="true" width={width} height={height}>
        {axes.yTicks.map((tick, index) => (
          <g key={tick}>
            <line className="grid" x1={GUTTER.left} x2={plot.right} y1={yOf(tick)} y2={yOf(tick)} />
            <text x={GUTTER.left - 6} y={yOf(tick) + 3.5} className="ax" textAnchor="end">
              {axes.yLabels[index]}
            </text>
          </g>
        ))}
        {axes.xTicks.map((tick, index) => (
          <text
            key={tick}
            x={xOf(tick)}
            y={height - 5}
            className="ax"
            textAnchor={anchorOf(tick, first, last)}
          >
            {axes.xLabels[index]}
          </text>
        ))}
      </svg>
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
