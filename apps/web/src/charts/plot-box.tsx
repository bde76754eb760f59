"use client";
import { useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from "react";
import { ChartFrame, GUTTER } from "#charts/chart-frame.tsx";
import { useChartScene } from "#charts/chart-scene.tsx";
import type { Plot, PlotSeries } from "#charts/prepare-plot.ts";
import type { Tip } from "#charts/prepare-tip.ts";
import { usePlotPointer } from "#charts/use-plot-pointer.ts";

/** Air around the plot, CSS pixels, for lines and points on its edge. */
const AIR = 3;

export type Paint = (
  context: CanvasRenderingContext2D,
  box: { width: number; height: number },
  /** Reads a CSS variable: `--c1` → a colour. */
  colorOf: (name: string) => string,
) => void;

/** The size of a panel's plot, axes left out, and the ref of the element that is measured. */
export function usePlotSize() {
  const { ref, width, height } = useElementSize<HTMLDivElement>();
  return {
    ref,
    width,
    height,
    box: {
      width: Math.max(0, width - GUTTER.left - GUTTER.right),
      height: Math.max(0, height - GUTTER.top - GUTTER.bottom),
    },
  };
}

/** Frame, canvas, crosshair, tooltip and zoom around what `paint` paints. `paint` has to be stable while nothing changes. */
export function PlotBox({
  size,
  plot,
  drawn,
  yLabels,
  label,
  newest,
  tipAt,
  paint,
  children,
}: {
  size: ReturnType<typeof usePlotSize>;
  plot: Plot;
  drawn: readonly PlotSeries[];
  yLabels: readonly string[];
  label: string;
  /** The last step that there is. */
  newest: number;
  tipAt: (step: number) => Tip;
  paint: Paint;
  /** Over the plot's corner. */
  children?: ReactNode;
}) {
  const scene = useChartScene();
  const id = useId();
  const scheme = useComputedColorScheme("light");
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height, box } = size;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `scheme` decides what the CSS variables hold
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (element === null || context === null || context === undefined || box.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const wide = Math.round((box.width + AIR * 2) * ratio);
    const high = Math.round((box.height + AIR * 2) * ratio);
    if (element.width !== wide || element.height !== high) {
      element.width = wide;
      element.height = high;
    }
    const style = getComputedStyle(element);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, wide, high);
    context.setTransform(ratio, 0, 0, ratio, AIR * ratio, AIR * ratio);
    paint(context, box, (name) => style.getPropertyValue(name).trim());
  }, [paint, box.width, box.height, scheme]);

  const pointer = usePlotPointer({ id, plot, drawn, tipAt, box, scene });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn under the pointer changes with the plot
  useEffect(() => pointer.redraw(), [pointer, plot]);

  return (
    <div ref={size.ref} className="cv">
      {width > 0 && (
        <ChartFrame
          width={width}
          height={height}
          axes={{
            x: plot.span,
            y: plot.y,
            xTicks: plot.xTicks,
            xLabels: plot.xLabels,
            yTicks: plot.yTicks,
            yLabels,
          }}
        />
      )}
      <canvas
        ref={canvas}
        className="plot-canvas"
        style={{
          left: GUTTER.left - AIR,
          top: GUTTER.top - AIR,
          width: box.width + AIR * 2,
          height: box.height + AIR * 2,
        }}
        aria-hidden="true"
      />
      <div
        ref={pointer.surface}
        className="plot-surface"
        style={{ left: GUTTER.left, top: GUTTER.top, width: box.width, height: box.height }}
        role="slider"
        tabIndex={0}
        aria-label={`${label}: choose a step`}
        aria-orientation="horizontal"
        aria-valuemin={plot.x[0]}
        aria-valuemax={newest}
        aria-valuenow={newest}
      >
        <div ref={pointer.hair} className="hair" />
        <div ref={pointer.dots} />
        <div ref={pointer.zoom} className="zoom" hidden />
      </div>
      {children}
      <div ref={pointer.tip} className="tip" hidden />
    </div>
  );
}
