import { z } from "zod";
import { buildRun, loadLastMetrics, RUN_COLUMNS, type RunRow } from "#mlflow/build-run.ts";
import { parseFilter } from "#mlflow/parse-filter.ts";
import { parseOrder } from "#mlflow/parse-order.ts";
import { MaxResults } from "#mlflow/rest-shapes.ts";
import { mayTouch, type TrackerContext } from "#trackers/writer.ts";

const PAGE_MOST = 50_000;
const PAGE_USUAL = 1_000;

export const SearchRuns = z.object({
  experiment_ids: z
    .array(
      z
        .string()
        .regex(/^\d{1,9}$/)
        .transform(Number),
    )
    .max(1000)
    .nullish(),
  filter: z.string().max(10_000).nullish(),
  run_view_type: z.enum(["ACTIVE_ONLY", "DELETED_ONLY", "ALL"]).nullish(),
  max_results: MaxResults,
  order_by: z.array(z.string().max(600)).max(20).nullish(),
  page_token: z.string().nullish(),
});

/** Runs of the experiments that match, newest first or as asked. A page's token is how many came before. */
export async function searchRuns(ctx: TrackerContext, input: z.infer<typeof SearchRuns>) {
  const matches = parseFilter(input.filter ?? "");
  const compare = parseOrder(input.order_by ?? []);
  // Nothing is ever deleted here.
  if (input.run_view_type === "DELETED_ONLY") return { runs: [] };
  await ctx.ingest.settle();
  const { rows: found } = await ctx.pool.query<RunRow>(
    `SELECT ${RUN_COLUMNS} WHERE t.source = 'mlflow' AND t.experiment_id = ANY($1::int[])`,
    [input.experiment_ids ?? []],
  );
  const rows = found.filter((row) => mayTouch(ctx.writer, row));
  const metrics = await loadLastMetrics(
    ctx.pool,
    rows.map((row) => row.run_id),
  );
  const runs = rows
    .map((row) => buildRun(row, metrics.get(row.run_id) ?? []))
    .filter(matches)
    .sort(compare);
  const take = Math.min(Math.max(input.max_results ?? PAGE_USUAL, 1), PAGE_MOST);
  const from = Math.max(0, Number(input.page_token || 0) || 0);
  const more = from + take < runs.length;
  return {
    runs: runs.slice(from, from + take),
    ...(more ? { next_page_token: String(from + take) } : {}),
  };
}
