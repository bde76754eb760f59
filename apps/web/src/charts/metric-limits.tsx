"use client";
import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { PaintLimit } from "#charts/paint-plot.ts";
import { prepareLimits } from "#charts/prepare-limits.ts";
import { useTRPC } from "#trpc/client.tsx";

const Limits = createContext<ReadonlyMap<string, PaintLimit>>(new Map());

/** Gives the charts below the bounds by which the project judges, each on the chart of its metric. */
export function MetricLimits({
  project,
  hasGpus,
  children,
}: {
  project: string;
  hasGpus: boolean;
  children: ReactNode;
}) {
  const trpc = useTRPC();
  const known = useQuery(trpc.threshold.list.queryOptions({ project }, { staleTime: 60_000 })).data
    ?.thresholds;
  const limits = useMemo(() => prepareLimits(known ?? [], { hasGpus }), [known, hasGpus]);
  return <Limits.Provider value={limits}>{children}</Limits.Provider>;
}

/** The bound to draw on a metric's chart; undefined where there is none. */
export function useMetricLimit(key: string | null): PaintLimit | undefined {
  return useContext(Limits).get(key ?? "");
}
