"use client";
import { parseAsFloat, useQueryState } from "nuqs";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { type ChartScene, ChartSceneProvider, PLAIN_LOOK } from "#charts/chart-scene.tsx";
import { createCrosshair } from "#charts/crosshair.ts";
import type { MetricStore } from "#charts/metric-store.ts";
import { rangeParser } from "#charts/parse-range.ts";
import { useMetricStore } from "#charts/use-metric-store.ts";
import { JoinedStore } from "#compare/joined-store.ts";

/** Series of several runs, with one crosshair, zoom and smoothing for all panels. */
export function CompareScene({
  runIds,
  isGrowing,
  children,
}: {
  runIds: readonly string[];
  isGrowing: boolean;
  children: ReactNode;
}) {
  const [stores, setStores] = useState<ReadonlyMap<string, MetricStore>>(new Map());
  const [crosshair] = useState(createCrosshair);
  const [range, setRange] = useQueryState("r", rangeParser);
  const [smoothing] = useQueryState("sm", parseAsFloat.withDefault(0));
  const take = useCallback(
    (id: string, store: MetricStore) => setStores((known) => new Map(known).set(id, store)),
    [],
  );
  const joined = useMemo(
    () => new JoinedStore(new Map([...stores].filter(([id]) => runIds.includes(id)))),
    [stores, runIds],
  );
  useEffect(() => joined.setRange(range), [joined, range]);
  const scene = useMemo<ChartScene>(
    () => ({
      store: joined,
      crosshair,
      range,
      setRange: (next) => void setRange(next === null ? null : [next[0], next[1]]),
      look: { ...PLAIN_LOOK, smoothing: Math.min(0.99, Math.max(0, smoothing)) },
      eventSteps: [],
      notes: new Map(),
      stale: null,
      openStep: null,
      whenFirst: "None of the runs has logged it",
      isGrowing,
    }),
    [joined, crosshair, range, setRange, smoothing, isGrowing],
  );
  return (
    <ChartSceneProvider value={scene}>
      {runIds.map((id) => (
        <Feed key={id} runId={id} onStore={take} />
      ))}
      {runIds.every((id) => stores.has(id)) && children}
    </ChartSceneProvider>
  );
}

/** Follows one run's series. */
function Feed({
  runId,
  onStore,
}: {
  runId: string;
  onStore: (id: string, store: MetricStore) => void;
}) {
  const store = useMetricStore(runId);
  useEffect(() => onStore(runId, store), [runId, store, onStore]);
  return null;
}
