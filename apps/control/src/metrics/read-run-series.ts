import type { ReadSeries, SeriesAnswer } from "@liverl/contract/metric";
import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";

/** Series of a run, in buckets. Only an answer without any asks whether there is such a run: charts ask often. */
export async function readRunSeries(
  ctx: Pick<Context, "db" | "ingest">,
  input: ReadSeries,
): Promise<SeriesAnswer> {
  const answer = await ctx.ingest.readSeries(input);
  if (answer.series.length === 0) await getRunRow(ctx, input.runId);
  return answer;
}
