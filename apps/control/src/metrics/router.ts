import { ReadDistribution } from "@liverl/contract/distribution";
import { ReadSeries, WatchMetrics } from "@liverl/contract/metric";
import { z } from "zod";
import { listMetricKeys } from "#metrics/list-metric-keys.ts";
import { readRunSeries } from "#metrics/read-run-series.ts";
import { readTokensBySteps } from "#metrics/read-tokens-by-steps.ts";
import { watchMetrics } from "#metrics/watch-metrics.ts";
import { readDistribution } from "#rollouts/read-distribution.ts";
import { procedure, router } from "#trpc.ts";

export const metricRouter = router({
  keys: procedure
    .input(z.object({ runId: z.string() }))
    .query(({ ctx, input }) => listMetricKeys(ctx, input)),
  series: procedure.input(ReadSeries).query(({ ctx, input }) => readRunSeries(ctx, input)),
  distribution: procedure
    .input(ReadDistribution)
    .query(({ ctx, input }) => readDistribution(ctx, input)),
  tokens: procedure
    .input(z.object({ runId: z.string().max(200) }))
    .query(({ ctx, input }) => readTokensBySteps(ctx, input)),
  live: procedure
    .input(WatchMetrics)
    .subscription(({ ctx, input, signal }) => watchMetrics(ctx, input, signal)),
});
