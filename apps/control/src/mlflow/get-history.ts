import { AppError } from "@liverl/contract/app-error";
import { isStorable, notStorable } from "@liverl/contract/storable";
import { z } from "zod";
import { type MlflowMetric, mlflowValue } from "#mlflow/build-run.ts";
import { MaxResults, RunRef, runKeyOf } from "#mlflow/rest-shapes.ts";
import { getRunRow } from "#mlflow/runs.ts";
import type { TrackerContext } from "#trackers/writer.ts";

const PAGE_MOST = 25_000;
const FIRST_STEP = -(2 ** 31);

export const GetHistory = RunRef.extend({
  metric_key: z.string().min(1).max(300).refine(isStorable, notStorable),
  max_results: MaxResults,
  page_token: z.string().nullish(),
});

/** All points of a metric by step, a page at a time. A page's token is the step that the next one begins with. */
export async function getHistory(
  ctx: TrackerContext,
  input: z.infer<typeof GetHistory>,
): Promise<{ metrics: MlflowMetric[]; next_page_token?: string }> {
  const { run_id: runId } = await getRunRow(ctx, runKeyOf(input));
  const limit = Math.min(Math.max(input.max_results ?? PAGE_MOST, 1), PAGE_MOST);
  const from = input.page_token ? Number(input.page_token) : FIRST_STEP;
  if (!Number.isInteger(from))
    throw new AppError("BAD_REQUEST", { userMessage: "page_token is none that was given." });
  await ctx.ingest.settle();
  const key = input.metric_key;
  const points = await ctx.ingest.readPoints({ runId, key, from, limit: limit + 1 });
  const metrics = points.step.slice(0, limit).map((step, i) => ({
    key,
    value: mlflowValue(points.value[i] ?? null, points.flag[i] ?? 0),
    timestamp: points.wallMs[i] ?? 0,
    step,
  }));
  const next = points.step[limit];
  return next === undefined ? { metrics } : { metrics, next_page_token: String(next) };
}
