"use client";
import { useEffect, useMemo, useRef } from "react";
import { GUTTER } from "#charts/chart-frame.tsx";
import type { ChartScene } from "#charts/chart-scene.tsx";
import type { Crosshair } from "#charts/crosshair.ts";
import type { StepRange } from "#charts/metric-store.ts";
import { modeAt, nextStep, rangeOfDrag, stepAt, zoomed } from "#charts/pick-step.ts";
import type { PlotLine } from "#charts/plot-line.ts";
import type { Plot, PlotSeries } from "#charts/prepare-plot.ts";
import type { Tip } from "#charts/prepare-tip.ts";
import { nearestPlace } from "#charts/series-columns.ts";
import { writeTip } from "#charts/write-tip.ts";

type Shown = {
  id: string;
  plot: Plot;
  drawn: readonly PlotSeries[];
  tipAt: (step: number) => Tip;
  box: { width: number; height: number };
  scene: ChartScene;
};

const DRAG_FROM_PX = 6;
const TIP_GAP_PX = 12;
/** What a tooltip takes at most, with the longest note. */
const TIP_WIDTH_PX = 280;
/** A second click within this time means "show all", so the first one must not have left the page. */
const DOUBLE_CLICK_MS = 260;

/** Crosshair, tooltip, click, drag and keys of one plot, without React on the way: the pointer moves DOM nodes. */
export function usePlotPointer(shown: Shown) {
  const surface = useRef<HTMLDivElement>(null);
  const hair = useRef<HTMLDivElement>(null);
  const dots = useRef<HTMLDivElement>(null);
  const zoom = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  /** Of the surface in the window, CSS pixels, when the pointer or the focus was last there. */
  const left = useRef(0);
  const latest = useRef(shown);
  latest.current = shown;
  const { crosshair } = shown.scene;

  const handle = useMemo(() => {
    function along(position = Number.NaN): number {
      const { plot, box } = latest.current;
      const [first, last] = plot.span;
      return ((position - first) / (last - first || 1)) * box.width;
    }
    const x = (step: number) => along(latest.current.plot.place(step));
    function y(value: number): number {
      const { plot, box } = latest.current;
      return box.height - ((value - plot.y[0]) / (plot.y[1] - plot.y[0] || 1)) * box.height;
    }
    /** Marks are moved, not made anew; by their place, as a transform would give each of them a layer's work. */
    function drawDots(step: number | null): void {
      const holder = dots.current;
      if (holder === null) return;
      const { plot, drawn, box } = latest.current;
      while (holder.children.length < plot.lines.length) holder.append(makeDot());
      for (const [index, mark] of [...holder.children].entries()) {
        if (!(mark instanceof HTMLElement)) continue;
        const line = plot.lines[index];
        const place =
          step === null || line === undefined ? -1 : placeOf(line, drawn[index]?.columns, step);
        const height = line === undefined || place < 0 ? Number.NaN : y(line.value[place] ?? NaN);
        // Beyond a clipped axis there is none.
        const isShown = height >= 0 && height <= box.height;
        const color = `var(${line?.color})`;
        if (mark.style.background !== color) mark.style.background = color;
        mark.style.visibility = isShown ? "visible" : "hidden";
        if (isShown) {
          mark.style.left = `${along(line?.at[place])}px`;
          mark.style.top = `${height}px`;
        }
      }
    }
    function show(at: Crosshair): void {
      if (hair.current === null || tip.current === null || surface.current === null) return;
      const { plot, id } = latest.current;
      const isShown =
        at !== null &&
        at.step >= plot.x[0] &&
        at.step <= plot.x[1] &&
        plot.lines.length > 0 &&
        Number.isFinite(plot.place(at.step));
      const isOwner = isShown && at.owner === id;
      if (tip.current.hidden === isOwner) tip.current.hidden = !isOwner;
      hair.current.style.visibility = isShown ? "visible" : "hidden";
      if (!isShown) {
        drawDots(null);
        return;
      }
      hair.current.style.left = `${x(at.step)}px`;
      drawDots(at.step);
      if (!isOwner) return;
      const rows = latest.current.tipAt(at.step);
      writeTip(tip.current, rows, latest.current.scene.openStep !== null);
      surface.current.setAttribute("aria-valuenow", String(at.step));
      surface.current.setAttribute("aria-valuetext", rows.spoken);
      placeTip(tip.current, x(at.step), left.current);
    }
    return { show, redraw: () => show(latest.current.scene.crosshair.get()) };
  }, []);

  useEffect(() => crosshair.subscribe(handle.show), [crosshair, handle]);

  useEffect(() => {
    const element = surface.current;
    if (element === null) return;
    const listening = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      listener: (event: HTMLElementEventMap[K]) => void,
    ) => element.addEventListener(name, listener, { signal: listening.signal });
    let dragFrom: number | null = null;
    let clickTimer: ReturnType<typeof setTimeout> | null = null;
    const place = (event: PointerEvent) => {
      left.current = element.getBoundingClientRect().left;
      return event.clientX - left.current;
    };

    function drawZoom(from: number, to: number): void {
      if (zoom.current === null) return;
      zoom.current.hidden = Math.abs(to - from) < DRAG_FROM_PX;
      zoom.current.style.left = `${Math.min(from, to)}px`;
      zoom.current.style.width = `${Math.abs(to - from)}px`;
    }
    on("pointermove", (event) => {
      const now = place(event);
      if (dragFrom !== null) drawZoom(dragFrom, now);
      const step = stepAt(latest.current, now);
      if (step !== null) crosshair.set({ step, owner: latest.current.id });
    });
    on("pointerleave", () => {
      if (dragFrom === null) crosshair.set(null);
    });
    on("pointerdown", (event) => {
      if (event.button !== 0) return;
      dragFrom = place(event);
      element.setPointerCapture(event.pointerId);
    });
    on("pointerup", (event) => {
      const from = dragFrom;
      dragFrom = null;
      if (zoom.current !== null) zoom.current.hidden = true;
      if (from === null) return;
      const to = place(event);
      if (Math.abs(to - from) >= DRAG_FROM_PX) {
        const range: StepRange | null = rangeOfDrag(latest.current, from, to);
        if (range !== null) latest.current.scene.setRange(range);
        return;
      }
      const step = stepAt(latest.current, to);
      if (step === null || clickTimer !== null) return;
      const { openStep } = latest.current.scene;
      const mode = modeAt(latest.current, step);
      clickTimer = setTimeout(
        () => {
          clickTimer = null;
          openStep?.(step, mode);
        },
        latest.current.scene.range === null ? 0 : DOUBLE_CLICK_MS,
      );
    });
    on("pointercancel", () => {
      dragFrom = null;
      if (zoom.current !== null) zoom.current.hidden = true;
    });
    on("dblclick", () => {
      if (clickTimer !== null) clearTimeout(clickTimer);
      clickTimer = null;
      latest.current.scene.setRange(null);
    });
    on("keydown", (event) => {
      const { id, scene } = latest.current;
      // With a modifier they are the page's or the browser's own.
      if ((event.shiftKey && event.key !== "+") || event.altKey || event.ctrlKey || event.metaKey)
        return;
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        const step = nextStep(
          latest.current,
          crosshair.get()?.step ?? null,
          event.key === "ArrowRight" ? 1 : -1,
        );
        if (step !== null) crosshair.set({ step, owner: id });
        event.preventDefault();
      } else if (event.key === "Enter") {
        const step = crosshair.get()?.step;
        if (step !== undefined) scene.openStep?.(step, modeAt(latest.current, step));
      } else if (event.key === "+" || event.key === "-") {
        scene.setRange(zoomed(latest.current, crosshair.get()?.step ?? null, event.key));
      } else if (event.key === "Escape") crosshair.set(null);
    });
    on("focus", () => {
      left.current = element.getBoundingClientRect().left;
    });
    on("blur", () => crosshair.set(null));
    return () => {
      listening.abort();
      if (clickTimer !== null) clearTimeout(clickTimer);
    };
  }, [crosshair]);

  return useMemo(() => ({ surface, hair, dots, zoom, tip, redraw: handle.redraw }), [handle]);
}

/** Right of the crosshair, over the next panel if need be; left of it where the window ends. Reads no layout: that would cost one a move. */
function placeTip(tip: HTMLElement, x: number, surfaceLeft: number): void {
  const hasRoom = surfaceLeft + x + TIP_GAP_PX + TIP_WIDTH_PX < window.innerWidth - 8;
  const from = GUTTER.left + x;
  tip.style.transform = hasRoom
    ? `translate(${from + TIP_GAP_PX}px, 4px)`
    : `translate(calc(${from - TIP_GAP_PX}px - 100%), 4px)`;
}

function makeDot(): HTMLElement {
  const mark = document.createElement("i");
  mark.className = "hair-dot";
  return mark;
}

/** Index of the point of a line that is of this step; -1 where there is none. */
function placeOf(line: PlotLine, columns: PlotSeries["columns"] | undefined, step: number): number {
  if (columns === undefined || columns.length === 0) return -1;
  const place = nearestPlace({ ...columns, step: line.step, length: line.length }, step);
  return line.step[place] === step ? place : -1;
}
