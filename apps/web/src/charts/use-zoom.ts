"use client";
import { useQueryState } from "nuqs";
import { useCallback, useRef } from "react";
import type { StepRange } from "#charts/metric-store.ts";
import { rangeParser } from "#charts/parse-range.ts";

/** Zooms that follow each other as fast as a held key, or a dragged edge, are one step back. */
const SAME_ACT_MS = 700;

/** The zoomed steps, `r=` in the address. Each zoom is an entry of the browser's history, so that Back undoes it. */
export function useZoom(): [StepRange | null, (range: StepRange | null) => void] {
  const [range, setQuery] = useQueryState("r", rangeParser);
  const changedMs = useRef(Number.NEGATIVE_INFINITY);
  const setRange = useCallback(
    (next: StepRange | null) => {
      const isSameAct = Date.now() - changedMs.current < SAME_ACT_MS;
      changedMs.current = Date.now();
      void setQuery(next === null ? null : [next[0], next[1]], {
        history: isSameAct ? "replace" : "push",
      });
    },
    [setQuery],
  );
  return [range, setRange];
}
