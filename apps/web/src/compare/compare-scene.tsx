"use client";
import { XAxis } from "@liverl/contract/metrics-view";
import { useQueries } from "@tanstack/react-query";
import { createParser, useQueryState } from "nuqs";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import {
  type AxisWindow,
  type ChartLook,
  type ChartScene,
  ChartSceneProvider,
} from "#charts/chart-scene.tsx";
import { createCrosshair } from "#charts/crosshair.ts";
import { FULL_QUERY } from "#charts/full-view/full-look.ts";
import type { MetricStore } from "#charts/metric-store.ts";
import { useMetricStore } from "#charts/use-metric-store.ts";
import { useZoom } from "#charts/use-zoom.ts";
import { JoinedStore, sourceOfJoined } from "#compare/joined-store.ts";
import { useTRPC } from "#trpc/client.tsx";

const TOKENS_AGAIN_MS = 5_000;

/** `relative:0:3600` in the address: the zoomed part of an axis that has no steps. */
export function parseWindow(text: string): AxisWindow | null {
  const [mode, first, last] = text.split(":");
  const axis = XAxis.safeParse(mode);
  const ends = [Number(first), Number(last)] as const;
  return axis.success && ends.every(Number.isFinite) && ends[1] > ends[0]
    ? { mode: axis.data, ends }
    : null;
}

const windowParser = createParser<AxisWindow>({
  parse: parseWindow,
  serialize: ({ mode, ends }) =>
    `${mode}:${ends.map((end) => Number(end.toPrecision(12))).join(":")}`,
  eq: (a, b) => a.mode === b.mode && a.ends[0] === b.ends[0] && a.ends[1] === b.ends[1],
});

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
  const [window, setWindow] = useQueryState("w", windowParser);
  const scaleOf = useScales({ stores, runIds, isGrowing, mode: look.x });
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
      window,
      setWindow: (next) => void setWindow(next, { history: "push" }),
      showAll: () => {
        if (window !== null) void setWindow(null, { history: "push" });
        if (range !== null) setRange(null);
      },
      scaleOf,
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
    [joined, crosshair, range, setRange, window, setWindow, scaleOf, look, isGrowing],
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

/** Where each run's points stand on an axis of time or tokens: by its own first point and its own tokens. */
function useScales({
  stores,
  runIds,
  isGrowing,
  mode,
}: {
  stores: ReadonlyMap<string, MetricStore>;
  runIds: readonly string[];
  isGrowing: boolean;
  mode: XAxis;
}): NonNullable<ChartScene["scaleOf"]> {
  const trpc = useTRPC();
  const [fullAxis] = useQueryState("fx", FULL_QUERY.fx);
  const enabled = mode === "tokens" || fullAxis === "tokens";
  const tokens = useQueries({
    queries: runIds.map((runId) =>
      trpc.metric.tokens.queryOptions(
        { runId },
        { enabled, refetchInterval: isGrowing ? TOKENS_AGAIN_MS : false },
      ),
    ),
  });
  const stamp = tokens.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `stamp` says when the answers changed
  return useCallback(
    (joined, axis) => {
      const { runId } = sourceOfJoined(joined);
      const store = stores.get(runId);
      if (axis === "step" || store === undefined) return undefined;
      return {
        mode: axis,
        originMs: store.firstWallMs ?? 0,
        tokens: tokens[runIds.indexOf(runId)]?.data ?? null,
        clock: store.longest(),
      };
    },
    [stores, runIds, stamp],
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
