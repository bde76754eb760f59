"use client";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";

/** CSS pixels of a panel's plot with its axes. 0 before the first layout. */
export type PlotSize = { width: number; height: number };

/** Measures the element that a plot will stand in: from before its points are there, so that it is drawn once. */
export function usePlotSize(): [RefObject<HTMLDivElement | null>, PlotSize] {
  const element = useRef<HTMLDivElement>(null);
  const [[width, height], setSize] = useState<readonly [number, number]>([0, 0]);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver((entries) => {
      const room = entries.at(-1)?.contentRect;
      if (room !== undefined)
        setSize((before) =>
          before[0] === room.width && before[1] === room.height
            ? before
            : [room.width, room.height],
        );
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  const size = useMemo(() => ({ width, height }), [width, height]);
  return [element, size];
}
