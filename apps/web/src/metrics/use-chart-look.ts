"use client";
import { MetricsView } from "@liverl/contract/metrics-view";
import { useQueryStates } from "nuqs";
import { useMemo } from "react";
import type { ChartLook } from "#charts/chart-scene.tsx";
import { METRICS_QUERY, mergeView, queryOfChange } from "#metrics/metrics-query.ts";

const PLAIN = MetricsView.parse({});
const { sm, log, clip, band } = METRICS_QUERY;

/** How charts are drawn on a page that has no views: from its address alone, by steps. */
export function useChartLook() {
  const [query, setQuery] = useQueryStates({ sm, log, clip, band });
  const state = useMemo(() => mergeView(PLAIN, query), [query]);
  const look = useMemo<ChartLook>(() => {
    const { smoothing, isLog, isClipped, hasBand } = state;
    return { smoothing, isLog, isClipped, hasBand, x: "step", tokens: null };
  }, [state]);
  const change = (patch: Partial<MetricsView>) => void setQuery(queryOfChange(PLAIN, patch));
  return { state, look, change };
}
