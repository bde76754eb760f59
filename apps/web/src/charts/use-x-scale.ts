"use client";
import { useMemo } from "react";
import { type ChartLook, useChartScene } from "#charts/chart-scene.tsx";
import { BY_STEP, type XScale } from "#charts/x-scale.ts";

/** The x axis of a look, of the page's own without one. `version` grows when series did. */
export function useXScale(version: number, look?: ChartLook): XScale {
  const scene = useChartScene();
  const { store } = scene;
  const { x, tokens } = look ?? scene.look;
  // By steps nothing depends on what is loaded, and the very same scale keeps plots as they are.
  const seen = x === "step" ? 0 : version;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store grows in place; `seen` tells when to look
  return useMemo(
    () =>
      x === "step"
        ? BY_STEP
        : { mode: x, originMs: store.firstWallMs ?? 0, tokens, clock: store.longest() },
    [x, tokens, store, seen],
  );
}
