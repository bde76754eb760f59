"use client";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { type ChartLook, type ChartScene, ChartSceneProvider } from "#charts/chart-scene.tsx";
import { createCrosshair } from "#charts/crosshair.ts";
import type { MetricStore } from "#charts/metric-store.ts";
import { useMetricStore } from "#charts/use-metric-store.ts";
import { useZoom } from "#charts/use-zoom.ts";
import { JoinedStore, sourceOfJoined } from "#compare/joined-store.ts";

/** Series of several runs, with one crosshair, zoom and look for all panels. */
export function CompareScene({
  runIds,
  isGrowing,
  look,
  children,
}: {
  runIds: readonly string[];
  isGrowing: boolean;
  look: ChartLook;
  children: ReactNode;
}) {
  const [stores, setStores] = useState<ReadonlyMap<string, MetricStore>>(new Map());
  const [crosshair] = useState(createCrosshair);
  const [range, setRange] = useZoom();
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
      setRange,
      window: null,
      setWindow: () => undefined,
      showAll: () => setRange(null),
      scaleOf: null,
      tokens: null,
      sourceOf: sourceOfJoined,
      look,
      eventSteps: [],
      notes: new Map(),
      spans: [],
      stale: null,
      openStep: null,
      whenFirst: "None of the runs has logged it",
      isGrowing,
    }),
    [joined, crosshair, range, setRange, look, isGrowing],
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
