import { ReadDistribution } from "@liverl/contract/distribution";
import { ReadSeries, WatchMetrics } from "@liverl/contract/metric";
import { ResetMetricName, SetMetricName } from "@liverl/contract/trainer-names";
import { z } from "zod";
import { listMetricKeys } from "#metrics/list-metric-keys.ts";
import { listMetricNames, resetMetricName, setMetricName } from "#metrics/metric-names.ts";
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
  names: procedure
    .input(z.object({ project: z.string().max(200) }))
    .query(({ ctx, input }) => listMetricNames(ctx, input)),
  setName: procedure.input(SetMetricName).mutation(({ ctx, input }) => setMetricName(ctx, input)),
  resetName: procedure
    .input(ResetMetricName)
    .mutation(({ ctx, input }) => resetMetricName(ctx, input)),
  live: procedure
    .input(WatchMetrics)
    .subscription(({ ctx, input, signal }) => watchMetrics(ctx, input, signal)),
});
