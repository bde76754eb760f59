"use client";
import { memo } from "react";
import { LABEL_GAP, type Plot, pixelsOf } from "#charts/prepare-plot.ts";

/** What the frame shows of a plot. */
export type FrameAxes = Pick<
  Plot,
  "span" | "y" | "box" | "yTicks" | "yLabels" | "xLabels" | "endLabels"
>;

/** Half the height of a digit: from the middle of a label down to its baseline. */
const BASELINE = 3.5;
const SWATCH = 6;

/** Axes, grid and names of lines; the series are painted on a canvas that lies in the plot box. Drawn anew only when one of them changes. */
export const ChartFrame = memo(
  function ChartFrame({ axes, width, height }: { axes: FrameAxes; width: number; height: number }) {
    const { box } = axes;
    const toPixels = pixelsOf(axes);
    const right = box.left + box.width;
    return (
      <svg className="plot-frame" aria-hidden="true" width={width} height={height}>
        {axes.yTicks.map((tick, index) => {
          const y = box.top + toPixels.y(tick);
          return (
            <g key={tick}>
              <line className="grid" x1={box.left} x2={right} y1={y} y2={y} />
              <text x={box.left - LABEL_GAP} y={y + BASELINE} className="ax" textAnchor="end">
                {axes.yLabels[index]}
              </text>
            </g>
          );
        })}
        {axes.xLabels.map(({ text, left }) => (
          <text key={left} x={left} y={height - 5} className="ax">
            {text}
          </text>
        ))}
        {axes.endLabels.map(({ text, color, y }) => (
          <g key={text} transform={`translate(${right + LABEL_GAP} ${box.top + y})`}>
            <rect width={SWATCH} height={SWATCH} y={-SWATCH / 2} fill={`var(${color})`} />
            <text x={SWATCH + 3} y={BASELINE} className="ax end-name">
              {text}
            </text>
          </g>
        ))}
      </svg>
    );
  },
  (before, after) =>
    before.width === after.width &&
    before.height === after.height &&
    JSON.stringify(before.axes) === JSON.stringify(after.axes),
);
