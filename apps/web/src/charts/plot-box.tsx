"use client";
import { type ReactNode, useId, useLayoutEffect } from "react";
import { ChartFrame } from "#charts/chart-frame.tsx";
import { useChartScene } from "#charts/chart-scene.tsx";
import { AIR, fitCanvas } from "#charts/fit-canvas.ts";
import type { Plot, PlotSeries } from "#charts/prepare-plot.ts";
import type { Tip } from "#charts/prepare-tip.ts";
import { type ColorOf, useThemeColors } from "#charts/theme-colors.ts";
import { usePlotPointer } from "#charts/use-plot-pointer.ts";
import type { PlotSize } from "#charts/use-plot-size.ts";

export type Paint = (
  context: CanvasRenderingContext2D,
  box: { width: number; height: number },
  colorOf: ColorOf,
) => void;

/** Frame, canvas, crosshair, tooltip and zoom around what `paint` paints. `paint` has to be stable while nothing changes. */
export function PlotBox({
  size,
  plot,
  drawn,
  label,
  newest,
  tipAt,
  paint,
  frame,
  children,
}: {
  size: PlotSize;
  plot: Plot;
  drawn: readonly PlotSeries[];
  label: string;
  /** The last step that there is. */
  newest: number;
  tipAt: (step: number, at: number | null) => Tip;
  paint: Paint;
  /** Axes of its own, where they are not those of a panel. */
  frame?: ReactNode;
  /** Over the plot's corner. */
  children?: ReactNode;
}) {
  const scene = useChartScene();
  const id = useId();
  const colorOf = useThemeColors();
  const { width, height } = size;
  const { box } = plot;

  const pointer = usePlotPointer({ id, plot, drawn, tipAt, colorOf, scene });
  useLayoutEffect(() => {
    const context = fitCanvas(pointer.picture, box);
    if (context !== null) paint(context, box, colorOf);
    // What is drawn under the pointer changes with the plot.
    pointer.redraw();
  }, [pointer, paint, box, colorOf]);

  const around = {
    left: box.left - AIR,
    top: box.top - AIR,
    width: box.width + AIR * 2,
    height: box.height + AIR * 2,
  };
  const { span, y, yTicks, yLabels, xLabels, endLabels } = plot;
  return (
    <>
      {frame ??
        (width > 0 && (
          <ChartFrame
            width={width}
            height={height}
            axes={{ span, y, box, yTicks, yLabels, xLabels, endLabels }}
          />
        ))}
      <canvas ref={pointer.canvas} className="plot-canvas" style={around} aria-hidden="true" />
      <div
        ref={pointer.surface}
        className="plot-surface"
        style={box}
        role="slider"
        tabIndex={0}
        // Read by the dialog of the full view, which gives the focus to it.
        data-autofocus={frame === undefined ? undefined : true}
        aria-label={`${label}: choose a step`}
        aria-orientation="horizontal"
        aria-valuemin={plot.x[0]}
        aria-valuemax={newest}
        aria-valuenow={newest}
      >
        <div ref={pointer.zoom} className="zoom" hidden />
      </div>
      {children}
      <div ref={pointer.tip} className="tip" hidden />
    </>
  );
}
