"use client";
import { useEffect, useMemo, useRef } from "react";
import type { ChartScene } from "#charts/chart-scene.tsx";
import type { Crosshair } from "#charts/crosshair.ts";
import { AIR, fitCanvas } from "#charts/fit-canvas.ts";
import { isForHovered } from "#charts/is-for-hovered.ts";
import type { StepRange } from "#charts/metric-store.ts";
import { type CrosshairDot, paintCrosshair } from "#charts/paint-crosshair.ts";
import {
  modeAt,
  nextStep,
  placeNear,
  pointAt,
  rangeOfDrag,
  windowOfDrag,
  zoomed,
  zoomedWindow,
} from "#charts/pick-step.ts";
import type { PlotLine } from "#charts/plot-line.ts";
import { MARGIN, type Plot, type PlotSeries, pixelsOf } from "#charts/prepare-plot.ts";
import type { Tip } from "#charts/prepare-tip.ts";
import { nearestPlace } from "#charts/series-columns.ts";
import type { ColorOf } from "#charts/theme-colors.ts";
import { writeTip } from "#charts/write-tip.ts";

type Shown = {
  id: string;
  plot: Plot;
  drawn: readonly PlotSeries[];
  tipAt: (step: number, at: number | null) => Tip;
  colorOf: ColorOf;
  scene: ChartScene;
};

const DRAG_FROM_PX = 6;
/** A point of another run further from the crosshair is not of the same moment. */
export const NEAR_PX = 24;
const TIP_GAP_PX = 12;
/** Of the panel's width, so that the line stays in sight beside it. */
const TIP_SHARE = 0.72;
/** How far a tooltip begins above the plot, over the line of words there. */
const TIP_RISE_PX = 18;
/** A second click within this time means "show all", so the first one must not have left the page. */
const DOUBLE_CLICK_MS = 260;

/** Crosshair, tooltip, click, drag and keys of one plot, without React on the way: the pointer moves DOM nodes. */
export function usePlotPointer(shown: Shown) {
  const surface = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const zoom = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
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
    const x = (at: NonNullable<Crosshair>) => {
      const { plot } = latest.current;
      return pixelsOf(plot).x(at.at ?? plot.place(at.step));
    };
    function dotsAt({ step, at }: NonNullable<Crosshair>): CrosshairDot[] {
      const { plot, drawn } = latest.current;
      const toPixels = pixelsOf(plot);
      return plot.lines.flatMap((line, index) => {
        const place =
          at === null ? placeOf(line, drawn[index]?.columns, step) : placeNear(line, at);
        const height = place < 0 ? Number.NaN : toPixels.y(line.value[place] ?? Number.NaN);
        const left = toPixels.x(line.at[place] ?? Number.NaN);
        // Beyond a clipped axis there is none, nor where another run has ended.
        const isShown = height >= 0 && height <= plot.box.height;
        const isNear = at === null || Math.abs(left - toPixels.x(at)) <= NEAR_PX;
        return isShown && isNear ? [{ color: line.color, x: left, y: height }] : [];
      });
    }
    /** The crosshair is part of the picture: moving an element costs layout, paint and a new order of all layers of the page. */
    function draw(at: Crosshair): void {
      const { plot, colorOf } = latest.current;
      const { box } = plot;
      const context = fitCanvas(canvas.current, box);
      if (context === null) return;
      isDrawn.current = at !== null;
      context.drawImage(picture, -AIR, -AIR, box.width + AIR * 2, box.height + AIR * 2);
      if (at !== null)
        paintCrosshair(context, { x: x(at), height: box.height, dots: dotsAt(at), colorOf });
    }
    function show(at: Crosshair, isNew = false): void {
      if (tip.current === null || surface.current === null) return;
      const { plot, id } = latest.current;
      const isShown =
        at !== null &&
        at.step >= plot.x[0] &&
        at.step <= plot.x[1] &&
        plot.lines.length > 0 &&
        Number.isFinite(at.at ?? plot.place(at.step));
      const isOwner = isShown && at.owner === id;
      if (tip.current.hidden === isOwner) tip.current.hidden = !isOwner;
      const shown = isShown && isOnScreen.current ? at : null;
      if (isNew || isDrawn.current || shown !== null) draw(shown);
      if (!isOwner) return;
      const rows = latest.current.tipAt(at.step, at.at);
      writeTip(tip.current, rows, latest.current.scene.openStep !== null);
      surface.current.setAttribute("aria-valuenow", String(at.step));
      surface.current.setAttribute("aria-valuetext", rows.spoken);
      placeTip(tip.current, x(at), plot.box);
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
    const place = (event: PointerEvent) => event.clientX - element.getBoundingClientRect().left;

    function drawZoom(from: number, to: number): void {
      if (zoom.current === null) return;
      zoom.current.hidden = Math.abs(to - from) < DRAG_FROM_PX;
      zoom.current.style.left = `${Math.min(from, to)}px`;
      zoom.current.style.width = `${Math.abs(to - from)}px`;
    }
    function zoomTo(from: number, to: number): void {
      const { plot, scene } = latest.current;
      const range: StepRange | null = plot.isMixed ? null : rangeOfDrag(latest.current, from, to);
      if (plot.isMixed)
        scene.setWindow({ mode: plot.mode, ends: windowOfDrag(latest.current, from, to) });
      else if (range !== null) scene.setRange(range);
    }
    function zoomBy(key: "+" | "-"): void {
      const { plot, scene } = latest.current;
      const { step, at } = crosshair.get() ?? { step: null, at: null };
      const ends = plot.isMixed ? zoomedWindow(latest.current, at, key) : null;
      if (plot.isMixed) scene.setWindow(ends && { mode: plot.mode, ends });
      else scene.setRange(zoomed(latest.current, step, key));
    }
    const isZoomed = () => {
      const { range, window } = latest.current.scene;
      return range !== null || window !== null;
    };
    on("pointermove", (event) => {
      const now = place(event);
      if (dragFrom !== null) drawZoom(dragFrom, now);
      const point = pointAt(latest.current, now);
      if (point !== null) crosshair.set({ ...point, owner: latest.current.id });
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
        zoomTo(from, to);
        return;
      }
      const step = pointAt(latest.current, to)?.step;
      if (step === undefined || clickTimer !== null) return;
      const { openStep } = latest.current.scene;
      const mode = modeAt(latest.current, step);
      clickTimer = setTimeout(
        () => {
          clickTimer = null;
          openStep?.(step, mode);
        },
        isZoomed() ? DOUBLE_CLICK_MS : 0,
      );
    });
    on("pointercancel", () => {
      dragFrom = null;
      if (zoom.current !== null) zoom.current.hidden = true;
    });
    on("dblclick", () => {
      if (clickTimer !== null) clearTimeout(clickTimer);
      clickTimer = null;
      if (isZoomed()) latest.current.scene.showAll();
    });
    function takeKey(event: KeyboardEvent): void {
      const { id, scene } = latest.current;
      // With a modifier they are the page's or the browser's own.
      if ((event.shiftKey && event.key !== "+") || event.altKey || event.ctrlKey || event.metaKey)
        return;
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        const point = nextStep(
          latest.current,
          crosshair.get()?.step ?? null,
          event.key === "ArrowRight" ? 1 : -1,
        );
        if (point !== null) crosshair.set({ ...point, owner: id });
        event.preventDefault();
      } else if (event.key === "Enter") {
        const step = crosshair.get()?.step;
        if (step !== undefined) scene.openStep?.(step, modeAt(latest.current, step));
      } else if (event.key === "+" || event.key === "-") {
        zoomBy(event.key);
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
 * On the side of the crosshair that has more room, and never beyond the panel: its neighbours stay in sight. No layout is read: the
 * browser would sort all layers of the page anew, or lay it out, with each move.
 */
function placeTip(tip: HTMLElement, x: number, box: Plot["box"]): void {
  const end = box.left + box.width + MARGIN.right;
  const at = box.left + x;
  const left =
    x < box.width / 2
      ? `min(${at + TIP_GAP_PX}px, calc(${end}px - 100%))`
      : `max(0px, calc(${at - TIP_GAP_PX}px - 100%))`;
  const place = `translate(${left}, ${-TIP_RISE_PX}px)`;
  if (tip.style.transform !== place) tip.style.transform = place;
  const widest = `${Math.round(end * TIP_SHARE)}px`;
  if (tip.style.maxWidth !== widest) tip.style.maxWidth = widest;
}

/** Index of the point of a line that is of this step; -1 where there is none. */
function placeOf(line: PlotLine, columns: PlotSeries["columns"] | undefined, step: number): number {
  if (columns === undefined || columns.length === 0) return -1;
  const place = nearestPlace({ ...columns, step: line.step, length: line.length }, step);
  return line.step[place] === step ? place : -1;
}
