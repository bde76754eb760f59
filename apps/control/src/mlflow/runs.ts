import { randomUUID } from "node:crypto";
import { AppError } from "@liverl/contract/app-error";
import type { RunStatus } from "@liverl/contract/run";
import { z } from "zod";
import {
  buildRun,
  buildRunInfo,
  loadLastMetrics,
  RUN_COLUMNS,
  type RunRow,
} from "#mlflow/build-run.ts";
import { getExperimentRow } from "#mlflow/experiments.ts";
import { Entry, Int64, RunRef, runKeyOf } from "#mlflow/rest-shapes.ts";
import { labelsOf } from "#mlflow/write-entries.ts";
import { fitTags } from "#runs/change-tags.ts";
import { moveRun } from "#runs/move-run.ts";
import { storableText } from "#trackers/json-text.ts";
import { openTrackedRun } from "#trackers/open-tracked-run.ts";
import { refuseForeign, type TrackerContext } from "#trackers/writer.ts";

export const CreateRun = z.object({
  experiment_id: z.string().regex(/^\d{1,9}$/, "not the id of an experiment"),
  user_id: z.string().max(500).nullish(),
  run_name: z.string().max(500).nullish(),
  start_time: Int64.nullish(),
  tags: z.array(Entry).max(1000).nullish(),
});
export const UpdateRun = RunRef.extend({
  status: z.enum(["RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"]).nullish(),
  end_time: Int64.nullish(),
  run_name: z.string().max(500).nullish(),
});

const RUN_NAME_TAG = "mlflow.runName";
const STATUS = {
  RUNNING: "running",
  // Ours waits for nothing that we know of.
  SCHEDULED: "running",
  FINISHED: "succeeded",
  FAILED: "failed",
  KILLED: "cancelled",
} as const satisfies Record<string, RunStatus>;

export async function createRun(ctx: TrackerContext, input: z.infer<typeof CreateRun>) {
  const experiment = await getExperimentRow(ctx, Number(input.experiment_id));
  const tags = Object.fromEntries((input.tags ?? []).map(({ key, value }) => [key, value]));
  const name = input.run_name || tags[RUN_NAME_TAG] || "run";
  const key = randomUUID().replaceAll("-", "");
  const { tracked } = await openTrackedRun(ctx, {
    ...{ source: "mlflow", key, name, experimentId: experiment.id, project: experiment.project },
    startedMs: input.start_time || Date.now(),
    userId: input.user_id ?? "",
    tags: { ...tags, [RUN_NAME_TAG]: name },
  });
  await fitTags(ctx.pool, tracked.runId, { add: labelsOf(tags), remove: [] });
  ctx.live.emit("run", tracked.runId);
  return { run: buildRun(await getRunRow(ctx, key), []) };
}

export async function getRun(ctx: TrackerContext, ref: z.infer<typeof RunRef>) {
  const row = await getRunRow(ctx, runKeyOf(ref));
  // A client reads what it has just logged.
  await ctx.ingest.settle();
  const metrics = await loadLastMetrics(ctx.pool, [row.run_id]);
  return { run: buildRun(row, metrics.get(row.run_id) ?? []) };
}

export async function updateRun(ctx: TrackerContext, input: z.infer<typeof UpdateRun>) {
  const { run_id: runId, key } = await getRunRow(ctx, runKeyOf(input));
  await ctx.pool.query(
    `UPDATE tracked_run SET ended_ms = COALESCE($2, ended_ms), name = COALESCE($3, name),
       tags = tags || CASE WHEN $3::text IS NULL THEN '{}' ELSE jsonb_build_object('${RUN_NAME_TAG}', $3::text) END
     WHERE source = 'mlflow' AND key = $1`,
    [key, input.end_time ?? null, input.run_name ? storableText(input.run_name) : null],
  );
  // False when it is there already: an update may be repeated.
  if (input.status)
    await moveRun(ctx, runId, { to: STATUS[input.status], reason: null, actor: ctx.actor });
  return { run_info: buildRunInfo(await getRunRow(ctx, key)) };
}

/** Throws NOT_FOUND, or FORBIDDEN for a run of others. */
export async function getRunRow(
  ctx: Pick<TrackerContext, "pool" | "writer">,
  key: string,
): Promise<RunRow> {
  const { rows } = await ctx.pool.query<RunRow>(
    `SELECT ${RUN_COLUMNS} WHERE t.source = 'mlflow' AND t.key = $1`,
    [key],
  );
  const [row] = rows;
  if (row) {
    refuseForeign(ctx.writer, row);
    return row;
  }
  throw new AppError("NOT_FOUND", { userMessage: `Run with id=${key.slice(0, 100)} not found` });
}
