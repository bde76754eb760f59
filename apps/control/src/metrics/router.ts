import { ReadSeries, WatchMetrics } from "@liverl/contract/metric";
import { z } from "zod";
import { listMetricKeys } from "#metrics/list-metric-keys.ts";
import { watchMetrics } from "#metrics/watch-metrics.ts";
import { procedure, router } from "#trpc.ts";

export const metricRouter = router({
  keys: procedure
    .input(z.object({ runId: z.string() }))
    .query(({ ctx, input }) => listMetricKeys(ctx, input)),
  series: procedure.input(ReadSeries).query(({ ctx, input }) => ctx.ingest.readSeries(input)),
  live: procedure
    .input(WatchMetrics)
    .subscription(({ ctx, input, signal }) => watchMetrics(ctx, input, signal)),
});
