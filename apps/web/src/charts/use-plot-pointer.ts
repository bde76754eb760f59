"use client";
import { useEffect, useMemo, useRef } from "react";
import { GUTTER } from "#charts/chart-frame.tsx";
import type { ChartScene } from "#charts/chart-scene.tsx";
import type { Crosshair } from "#charts/crosshair.ts";
import { AIR, fitCanvas } from "#charts/fit-canvas.ts";
import { isForHovered } from "#charts/is-for-hovered.ts";
import type { StepRange } from "#charts/metric-store.ts";
import { type CrosshairDot, paintCrosshair } from "#charts/paint-crosshair.ts";
import { modeAt, nextStep, rangeOfDrag, stepAt, zoomed } from "#charts/pick-step.ts";
import type { PlotLine } from "#charts/plot-line.ts";
import type { Plot, PlotSeries } from "#charts/prepare-plot.ts";
import type { Tip } from "#charts/prepare-tip.ts";
import { nearestPlace } from "#charts/series-columns.ts";
import type { ColorOf } from "#charts/theme-colors.ts";
import { writeTip } from "#charts/write-tip.ts";

type Shown = {
  id: string;
  plot: Plot;
  drawn: readonly PlotSeries[];
  tipAt: (step: number) => Tip;
  box: { width: number; height: number };
  colorOf: ColorOf;
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
  const canvas = useRef<HTMLCanvasElement>(null);
  const zoom = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  /** Of the surface in the window, CSS pixels, when the pointer or the focus was last there. */
  const left = useRef(0);
  /** Whether the crosshair stands on the canvas. */
  const isDrawn = useRef(false);
  const isOnScreen = useRef(true);
  const latest = useRef(shown);
  latest.current = shown;
  const { id } = shown;
  const { crosshair } = shown.scene;

  const handle = useMemo(() => {
    /** What the plot looks like without a pointer. */
    const picture = document.createElement("canvas");
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
    function dotsAt(step: number): CrosshairDot[] {
      const { plot, drawn, box } = latest.current;
      return plot.lines.flatMap((line, index) => {
        const place = placeOf(line, drawn[index]?.columns, step);
        const height = place < 0 ? Number.NaN : y(line.value[place] ?? Number.NaN);
        // Beyond a clipped axis there is none.
        const isShown = height >= 0 && height <= box.height;
        return isShown ? [{ color: line.color, x: along(line.at[place]), y: height }] : [];
      });
    }
    /** The crosshair is part of the picture: moving an element costs layout, paint and a new order of all layers of the page. */
    function draw(step: number | null): void {
      const { box, colorOf } = latest.current;
      const context = fitCanvas(canvas.current, box);
      if (context === null) return;
      isDrawn.current = step !== null;
      context.drawImage(picture, -AIR, -AIR, box.width + AIR * 2, box.height + AIR * 2);
      if (step !== null)
        paintCrosshair(context, { x: x(step), height: box.height, dots: dotsAt(step), colorOf });
    }
    function show(at: Crosshair, isNew = false): void {
      if (tip.current === null || surface.current === null) return;
      const { plot, id } = latest.current;
      const isShown =
        at !== null &&
        at.step >= plot.x[0] &&
        at.step <= plot.x[1] &&
        plot.lines.length > 0 &&
        Number.isFinite(plot.place(at.step));
      const isOwner = isShown && at.owner === id;
      if (tip.current.hidden === isOwner) tip.current.hidden = !isOwner;
      const step = isShown && isOnScreen.current ? at.step : null;
      if (isNew || isDrawn.current || step !== null) draw(step);
      if (!isOwner) return;
      const rows = latest.current.tipAt(at.step);
      writeTip(tip.current, rows, latest.current.scene.openStep !== null);
      surface.current.setAttribute("aria-valuenow", String(at.step));
      surface.current.setAttribute("aria-valuetext", rows.spoken);
      placeTip(tip.current, x(at.step), left.current, latest.current.box.width);
    }
    return {
      picture,
      show: (at: Crosshair) => show(at),
      /** After the picture changed. */
      redraw: () => show(latest.current.scene.crosshair.get(), true),
    };
  }, []);

  useEffect(() => crosshair.subscribe(id, handle.show), [crosshair, id, handle]);
  useEffect(() => {
    if (surface.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      isOnScreen.current = entries.at(-1)?.isIntersecting ?? false;
      handle.redraw();
    });
    observer.observe(surface.current);
    return () => observer.disconnect();
  }, [handle]);

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
    function takeKey(event: KeyboardEvent): void {
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
    }
    on("keydown", takeKey);
    // The panel under the pointer hears the same keys, while nothing else on the page has a use for them.
    let hovering: AbortController | null = null;
    const endHover = () => {
      hovering?.abort();
      hovering = null;
    };
    on("pointerenter", () => {
      endHover();
      hovering = new AbortController();
      document.addEventListener(
        "keydown",
        (event) => {
          if (isForHovered(event, document.activeElement)) takeKey(event);
        },
        { signal: hovering.signal },
      );
    });
    on("pointerleave", endHover);
    on("focus", () => {
      left.current = element.getBoundingClientRect().left;
    });
    on("blur", () => crosshair.set(null));
    return () => {
      listening.abort();
      endHover();
      if (clickTimer !== null) clearTimeout(clickTimer);
    };
  }, [crosshair]);

  return useMemo(
    () => ({ surface, canvas, zoom, tip, picture: handle.picture, redraw: handle.redraw }),
    [handle],
  );
}

/**
 * Beside the panel, so that its line stays in sight; next to the crosshair where there is no panel beside. It moves as seldom as
 * can be, and no layout is read: the browser would sort all layers of the page anew, or lay it out, with each move.
 */
function placeTip(tip: HTMLElement, x: number, surfaceLeft: number, width: number): void {
  const need = TIP_GAP_PX + TIP_WIDTH_PX;
  const end = GUTTER.left + width + GUTTER.right;
  const hasRoom = (from: number) => surfaceLeft + from + need < window.innerWidth - 8;
  const place = hasRoom(end - GUTTER.left)
    ? `translate(${end}px, 4px)`
    : surfaceLeft > window.innerWidth / 2
      ? "translate(-100%, 4px)"
      : hasRoom(x)
        ? `translate(${GUTTER.left + x + TIP_GAP_PX}px, 4px)`
        : `translate(calc(${GUTTER.left + x - TIP_GAP_PX}px - 100%), 4px)`;
  if (tip.style.transform !== place) tip.style.transform = place;
}

/** Index of the point of a line that is of this step; -1 where there is none. */
function placeOf(line: PlotLine, columns: PlotSeries["columns"] | undefined, step: number): number {
  if (columns === undefined || columns.length === 0) return -1;
  const place = nearestPlace({ ...columns, step: line.step, length: line.length }, step);
  return line.step[place] === step ? place : -1;
}
