"use client";
import { skipToken, useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { MetricStore } from "#charts/metric-store.ts";
import { useTRPC, useTRPCClient } from "#trpc/client.tsx";
import { connection } from "#trpc/connection.ts";

const BUCKETS = 600;

/** The run's series store: reads over HTTP, then follows one stream from the first answer's cursor. */
export function useMetricStore(runId: string): MetricStore {
  const client = useTRPCClient();
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [{ store, of }, setHeld] = useState(() => ({ of: runId, store: build(runId) }));

  function build(id: string): MetricStore {
    return new MetricStore((keys, range) =>
      client.metric.series.query({
        runId: id,
        keys,
        buckets: BUCKETS,
        range: range === null ? undefined : [range[0], range[1]],
      }),
    );
  }
  if (of !== runId) setHeld({ of: runId, store: build(runId) });

  useEffect(() => {
    store.onUnknownKeys(() => {
      void queries.invalidateQueries({ queryKey: trpc.metric.keys.queryKey({ runId }) });
      // The preset's views name the metrics that the run logs.
      void queries.invalidateQueries(trpc.view.list.pathFilter());
    });
  }, [store, queries, trpc, runId]);

  useEffect(() => connection.onReturn(() => store.retry()), [store]);

  const cursor = useSyncExternalStore(store.cursor.subscribe, store.cursor.get, () => null);
  useSubscription(
    trpc.metric.live.subscriptionOptions(cursor === null ? skipToken : { runId, cursor }, {
      onData: ({ data: frame }) => store.apply(frame),
    }),
  );
  return store;
}
