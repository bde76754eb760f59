"use client";
import type { TokensBySteps } from "@liverl/contract/metric";
import type { XAxis } from "@liverl/contract/metrics-view";
import { createContext, useContext } from "react";
import type { ChartSpan } from "#charts/chart-span.ts";
import type { CrosshairStore } from "#charts/crosshair.ts";
import type { SeriesStore, StepRange } from "#charts/metric-store.ts";
import type { XScale } from "#charts/x-scale.ts";

/** How all panels of a page are drawn. */
export type ChartLook = {
  /** Weight on the past, 0…0.99. */
  smoothing: number;
  isLog: boolean;
  isClipped: boolean;
  hasBand: boolean;
  x: XAxis;
  /** Of the tokens axis; null while it is not known. */
  tokens: TokensBySteps | null;
};
export const PLAIN_LOOK: ChartLook = {
  smoothing: 0,
  isLog: false,
  isClipped: false,
  hasBand: true,
  x: "step",
  tokens: null,
};

/** A part of an x axis, in its own unit. */
export type AxisWindow = { mode: XAxis; ends: readonly [number, number] };

/** What all panels of one page share. */
export type ChartScene = {
  store: SeriesStore;
  crosshair: CrosshairStore;
  /** The zoomed steps; null shows all. */
  range: StepRange | null;
  setRange: (range: StepRange | null) => void;
  /** The zoomed part of the x axis, where several runs are shown by time or tokens: they have no steps in common there. */
  window: AxisWindow | null;
  setWindow: (window: AxisWindow | null) => void;
  /** Ends any zoom. */
  showAll: () => void;
  look: ChartLook;
  eventSteps: readonly number[];
  /** What people wrote, by step. */
  notes: ReadonlyMap<number, readonly string[]>;
  spans: readonly ChartSpan[];
  /** Of a series' own run, where the page shows several; null where all have the page's. */
  scaleOf: ((key: string, mode: XAxis) => XScale | undefined) | null;
  /** "No data for 3 m" when a running run went quiet; lines turn grey. Null while data is fresh. */
  stale: string | null;
  /** Of the run, for an axis of tokens; null while they are not known or nobody asked for them. */
  tokens: TokensBySteps | null;
  /** Whose series a key is, and under which key that run logs it. */
  sourceOf: (key: string) => { runId: string; key: string };
  /** Null: a click leads nowhere. */
  openStep: ((step: number, mode: "train" | "eval") => void) | null;
  /** When the first point may come, in words. */
  whenFirst: string;
  /** Whether points may still come. */
  isGrowing: boolean;
};

const Scene = createContext<ChartScene | null>(null);
export const ChartSceneProvider = Scene.Provider;

export function useChartScene(): ChartScene {
  const scene = useContext(Scene);
  if (scene === null) throw new Error("A metric panel needs a ChartSceneProvider above it.");
  return scene;
}
