import { AppError } from "@liverl/contract/app-error";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Context } from "#context.ts";
import type { SentBody } from "#metrics/ingest.ts";
import {
  CreateExperiment,
  createExperiment,
  GetExperiment,
  GetExperimentByName,
  getExperiment,
  getExperimentByName,
  SearchExperiments,
  searchExperiments,
  TagExperiment,
  tagExperiment,
} from "#mlflow/experiments.ts";
import { GetHistory, getHistory } from "#mlflow/get-history.ts";
import { answerMlflowErrors } from "#mlflow/mlflow-error.ts";
import { Entry, RunRef, runKeyOf } from "#mlflow/rest-shapes.ts";
import { CreateRun, createRun, getRun, getRunRow, UpdateRun, updateRun } from "#mlflow/runs.ts";
import { SearchRuns, searchRuns } from "#mlflow/search-runs.ts";
import { deleteTag, writeEntries } from "#mlflow/write-entries.ts";
import type { LogBatchRest } from "#trackers/parse-body.ts";
import { bytesOf, parseBytes, parseInput, takeBytes } from "#trackers/read-body.ts";
import { tellRefused } from "#trackers/tell-refused.ts";
import type { TrackerContext } from "#trackers/writer.ts";

const OneEntry = RunRef.extend(Entry.shape);
const TagName = RunRef.extend({ key: Entry.shape.key });

/** MLflow's tracking API, so that a client whose MLFLOW_TRACKING_URI is this server's URL logs here. */
export function addMlflowRoutes(server: FastifyInstance, context: Context): void {
  const contextOf = ({ writer }: FastifyRequest): TrackerContext => ({
    ...context,
    actor: "mlflow",
    writer,
  });
  void server.register(
    (scope, _, done) => {
      takeBytes(scope);
      answerMlflowErrors(scope, context);
      const get = <S extends z.ZodType>(
        path: string,
        query: S,
        handle: (ctx: TrackerContext, input: z.infer<S>) => Promise<object>,
      ) =>
        scope.get(path, { config: { scope: "ingest" } }, (request) =>
          handle(contextOf(request), parseInput(query, request.query)),
        );
      const post = <S extends z.ZodType>(
        path: string,
        body: S,
        handle: (ctx: TrackerContext, input: z.infer<S>) => Promise<object>,
      ) =>
        scope.post(path, { config: { scope: "ingest" } }, (request) =>
          handle(contextOf(request), parseBytes(body, request.body)),
        );
      const points = (path: string, format: SentBody["format"] & `mlflow-${string}`) =>
        scope.post(path, { config: { scope: "ingest" } }, (request) =>
          logPoints(contextOf(request), { format, body: bytesOf(request.body) }),
        );
      const setEntry =
        (kind: "params" | "tags") =>
        async (ctx: TrackerContext, entry: z.infer<typeof OneEntry>) => {
          await getRunRow(ctx, runKeyOf(entry));
          await writeEntries(ctx, runKeyOf(entry), { params: [], tags: [], [kind]: [entry] });
          return {};
        };

      get("/experiments/get-by-name", GetExperimentByName, (ctx, input) =>
        getExperimentByName(ctx, input),
      );
      get("/experiments/get", GetExperiment, (ctx, input) => getExperiment(ctx, input));
      post("/experiments/create", CreateExperiment, (ctx, input) => createExperiment(ctx, input));
      post("/experiments/search", SearchExperiments, (ctx, input) => searchExperiments(ctx, input));
      post("/experiments/set-experiment-tag", TagExperiment, (ctx, input) =>
        tagExperiment(ctx, input),
      );
      post("/runs/create", CreateRun, (ctx, input) => createRun(ctx, input));
      get("/runs/get", RunRef, (ctx, input) => getRun(ctx, input));
      post("/runs/update", UpdateRun, (ctx, input) => updateRun(ctx, input));
      post("/runs/search", SearchRuns, (ctx, input) => searchRuns(ctx, input));
      points("/runs/log-batch", "mlflow-batch");
      points("/runs/log-metric", "mlflow-metric");
      post("/runs/log-parameter", OneEntry, setEntry("params"));
      post("/runs/set-tag", OneEntry, setEntry("tags"));
      post("/runs/delete-tag", TagName, async (ctx, input) => {
        await getRunRow(ctx, runKeyOf(input));
        await deleteTag(ctx, runKeyOf(input), input.key);
        return {};
      });
      get("/metrics/get-history", GetHistory, (ctx, input) => getHistory(ctx, input));
      done();
    },
    { prefix: "/api/2.0/mlflow" },
  );
}

async function logPoints(ctx: TrackerContext, sent: SentBody): Promise<Record<string, never>> {
  const { runId, rest, refused } = await ctx.ingest.take(sent, ctx.writer);
  const { key, params, tags } = rest as LogBatchRest;
  if (runId === null)
    throw new AppError("NOT_FOUND", { userMessage: `Run with id=${key} not found` });
  await writeEntries(ctx, key, { params, tags });
  await tellRefused(ctx, runId, refused);
  return {};
}
