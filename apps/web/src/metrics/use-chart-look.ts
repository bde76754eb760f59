"use client";
import { MetricsView } from "@liverl/contract/metrics-view";
import { useQueryStates } from "nuqs";
import { useMemo } from "react";
import type { ChartLook } from "#charts/chart-scene.tsx";
import { METRICS_QUERY, mergeView, queryOfChange } from "#metrics/metrics-query.ts";

const PLAIN = MetricsView.parse({});
const { x, sm, log, clip, band, size } = METRICS_QUERY;

/** How charts are drawn on a page that has no views: from its address alone. */
export function useChartLook() {
  const [query, setQuery] = useQueryStates({ x, sm, log, clip, band, size });
  const state = useMemo(() => mergeView(PLAIN, query), [query]);
  const look = useMemo<ChartLook>(() => {
    const { x, smoothing, isLog, isClipped, hasBand } = state;
    return { x, smoothing, isLog, isClipped, hasBand, tokens: null };
  }, [state]);
  const change = (patch: Partial<MetricsView>) => void setQuery(queryOfChange(PLAIN, patch));
  return { state, look, change };
}
