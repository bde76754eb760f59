"use client";
import { useCallback, useLayoutEffect, useMemo, useSyncExternalStore } from "react";
import type { SeriesStore } from "#charts/metric-store.ts";

/** Loads the series while mounted, and re-renders when one of them changed. */
export function useSeriesVersion(store: SeriesStore, keys: readonly string[]): number {
  const joined = keys.join("\n");
  const stable = useMemo(() => (joined === "" ? [] : joined.split("\n")), [joined]);
  const subscribe = useCallback(
    (listener: () => void) => store.watch(stable, listener),
    [store, stable],
  );
  // A subscription begins after the paint; what it will ask can be on its way before.
  useLayoutEffect(() => store.load(stable), [store, stable]);
  const version = useCallback(() => store.version(stable), [store, stable]);
  return useSyncExternalStore(subscribe, version, () => 0);
}
