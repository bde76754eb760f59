"use client";
import { useEffect, useState } from "react";
import { whenFrameHasRoom } from "#charts/frame-room.ts";
import type { StepRange } from "#charts/metric-store.ts";
import { steadyEnd } from "#charts/prepare-ticks.ts";

/**
 * The steps that a plot shows: a zoom at once; else all, to a round step after the last one, so that axes are drawn
 * anew once in many steps, and then not those of all panels in one frame; where nothing grows, to the last one itself.
 * `extent`: first and last step there are.
 */
export function useSteadyRange(
  zoom: StepRange | null,
  extent: StepRange,
  isGrowing: boolean,
): StepRange {
  const first = extent[0];
  const last = isGrowing ? steadyEnd(first, extent[1]) : extent[1];
  const [held, setHeld] = useState<StepRange>([first, last]);
  useEffect(() => whenFrameHasRoom(() => setHeld([first, last])), [first, last]);
  return zoom ?? held;
}
