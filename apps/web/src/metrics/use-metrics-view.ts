"use client";
import { MetricsView, type SavedView, type ShippedView } from "@liverl/contract/metrics-view";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useCallback, useMemo } from "react";
import { METRICS_QUERY, mergeView, queryOfChange } from "#metrics/metrics-query.ts";
import { useTRPC } from "#trpc/client.tsx";

const PLAIN = MetricsView.parse({});
const NO_CHANGE = {
  ...{ q: null, pins: null, order: null, closed: null, x: null },
  ...{ sm: null, log: null, clip: null, band: null, size: null },
};

/** How the page looks now: the view that the address names, the preset's own without one, and what the address changes of it. */
export function useMetricsView(project: string, runId: string) {
  const views = useQuery(useTRPC().view.list.queryOptions({ project, runId }));
  const [query, setQuery] = useQueryStates(METRICS_QUERY);
  const shipped: readonly ShippedView[] = views.data?.shipped ?? [];
  const saved: readonly SavedView[] = views.data?.saved ?? [];
  const { view: wanted, ...own } = query;
  const current = [...shipped, ...saved].find(({ id }) => id === wanted) ?? shipped[0] ?? null;
  const base = current?.state ?? PLAIN;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `own` is `query` without the view
  const state = useMemo(() => mergeView(base, own), [base, query]);
  const change = useCallback(
    (patch: Partial<MetricsView>) => void setQuery(queryOfChange(base, patch)),
    [base, setQuery],
  );
  return {
    /** Before they are there nothing can be said of the layout. */
    isPending: views.isPending,
    shipped,
    saved,
    current,
    /** The address names a view that is not there. */
    isLost: views.data !== undefined && wanted !== null && current?.id !== wanted,
    state,
    isChanged: Object.values(own).some((value) => value !== null),
    change,
    /** Opens a view as it was saved; the browser's Back leads to the one before. */
    open: (id: string, history: "push" | "replace" = "push") =>
      void setQuery({ ...NO_CHANGE, view: id === shipped[0]?.id ? null : id }, { history }),
  };
}
export type MetricsViewState = ReturnType<typeof useMetricsView>;
