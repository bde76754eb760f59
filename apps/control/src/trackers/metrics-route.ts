import type { LogMetricsAnswer } from "@liverl/contract/metric";
import type { FastifyInstance } from "fastify";
import type { z } from "zod";
import type { Context } from "#context.ts";
import type { TakenBody } from "#metrics/ingest.ts";
import { moveRun } from "#runs/move-run.ts";
import { describeRun } from "#trackers/describe-run.ts";
import { openTrackedRun } from "#trackers/open-tracked-run.ts";
import type { LogMetricsRest } from "#trackers/parse-log-metrics.ts";
import { bytesOf, takeBytes } from "#trackers/read-body.ts";
import type { TrackerContext } from "#trackers/writer.ts";

/** `POST /api/v1/metrics`: points of any program, and the run around them. */
export function addMetricsRoute(server: FastifyInstance, ctx: Context): void {
  void server.register((scope, _, done) => {
    takeBytes(scope);
    scope.post("/api/v1/metrics", { config: { scope: "ingest" } }, (request) =>
      logMetrics({ ...ctx, actor: "ingest", writer: request.writer }, bytesOf(request.body)),
    );
    done();
  });
}

async function logMetrics(
  ctx: TrackerContext,
  body: Uint8Array,
): Promise<z.infer<typeof LogMetricsAnswer>> {
  const take = async () => {
    const taken = await ctx.ingest.take({ format: "api", body }, ctx.writer);
    return { ...taken, rest: taken.rest as LogMetricsRest };
  };
  let taken: TakenBody & { rest: LogMetricsRest } = await take();
  if (taken.runId === null) {
    const { project, run: name } = taken.rest;
    const key = `${project}/${name}`;
    await openTrackedRun(ctx, { source: "api", key, project, name, startedMs: Date.now() });
    taken = await take();
  }
  const { runId, points, rest } = taken;
  if (runId === null) throw new Error(`${rest.project}/${rest.run} was not made`);
  await describeRun(ctx, runId, { config: rest.config, labels: rest.tags });
  if (rest.status !== undefined)
    await moveRun(ctx, runId, { to: rest.status, reason: null, actor: ctx.actor });
  return { runId, points };
}
