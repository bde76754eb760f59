"use client";
import { useComputedColorScheme } from "@mantine/core";
import { type RefObject, useEffect, useRef } from "react";

export interface Brush {
  context: CanvasRenderingContext2D;
  /** CSS pixels. */
  width: number;
  height: number;
  /** Reads a colour variable as it is now: `color("--ink")`. */
  color: (name: string) => string;
}

/** A canvas that is as sharp as the screen and is drawn anew when `draw`, its size or the theme changes. */
export function useCanvas(draw: (brush: Brush) => void): RefObject<HTMLCanvasElement | null> {
  const ref = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme("light");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is not read here, but it changes what colours read as
  useEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext("2d");
    if (!canvas || !context) return;
    const paint = () => {
      const { clientWidth: width, clientHeight: height } = canvas;
      if (width === 0 || height === 0) return;
      const ratio = window.devicePixelRatio || 1;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      const style = getComputedStyle(canvas);
      draw({ context, width, height, color: (name) => style.getPropertyValue(name).trim() });
    };
    paint();
    const observer = new ResizeObserver(paint);
    observer.observe(canvas);
    return () => observer.disconnect();
  }, [draw, scheme]);
  return ref;
}
