"use client";
import { createContext, useContext } from "react";
import type { CrosshairStore } from "#charts/crosshair.ts";
import type { SeriesStore, StepRange } from "#charts/metric-store.ts";

/** What all panels of one page share. */
export type ChartScene = {
  store: SeriesStore;
  crosshair: CrosshairStore;
  /** The zoomed steps; null shows all. */
  range: StepRange | null;
  setRange: (range: StepRange | null) => void;
  smoothing: number;
  eventSteps: readonly number[];
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
