"use client";
import type { TokensBySteps } from "@liverl/contract/metric";
import type { XAxis } from "@liverl/contract/metrics-view";
import { createContext, useContext } from "react";
import type { CrosshairStore } from "#charts/crosshair.ts";
import type { SeriesStore, StepRange } from "#charts/metric-store.ts";

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

/** What all panels of one page share. */
export type ChartScene = {
  store: SeriesStore;
  crosshair: CrosshairStore;
  /** The zoomed steps; null shows all. */
  range: StepRange | null;
  setRange: (range: StepRange | null) => void;
  look: ChartLook;
  eventSteps: readonly number[];
  /** What people wrote, by step. */
  notes: ReadonlyMap<number, readonly string[]>;
  /** "No data for 3 m" when a running run went quiet; lines turn grey. Null while data is fresh. */
  stale: string | null;
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
