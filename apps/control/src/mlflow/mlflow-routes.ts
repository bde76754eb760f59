import { AppError } from "@liverl/contract/app-error";
import type { FastifyInstance } from "fastify";
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
import { CreateRun, createRun, getRun, UpdateRun, updateRun } from "#mlflow/runs.ts";
import { SearchRuns, searchRuns } from "#mlflow/search-runs.ts";
import { deleteTag, writeEntries } from "#mlflow/write-entries.ts";
import type { LogBatchRest } from "#trackers/parse-body.ts";
import { bytesOf, parseBytes, parseInput, takeBytes } from "#trackers/read-body.ts";
import { tellRefused } from "#trackers/tell-refused.ts";

const OneEntry = RunRef.extend(Entry.shape);
const TagName = RunRef.extend({ key: Entry.shape.key });

/** MLflow's tracking API, so that a client whose MLFLOW_TRACKING_URI is this server's URL logs here. */
export function addMlflowRoutes(server: FastifyInstance, context: Context): void {
  const ctx = { ...context, actor: "mlflow" };
  void server.register(
    (scope, _, done) => {
      takeBytes(scope);
      answerMlflowErrors(scope, ctx);
      const get = <S extends z.ZodType>(
        path: string,
        query: S,
        handle: (input: z.infer<S>) => Promise<object>,
      ) =>
        scope.get(path, { config: { scope: "ingest" } }, (request) =>
          handle(parseInput(query, request.query)),
        );
      const post = <S extends z.ZodType>(
        path: string,
        body: S,
        handle: (input: z.infer<S>) => Promise<object>,
      ) =>
        scope.post(path, { config: { scope: "ingest" } }, (request) =>
          handle(parseBytes(body, request.body)),
        );
      const points = (path: string, format: SentBody["format"] & `mlflow-${string}`) =>
        scope.post(path, { config: { scope: "ingest" } }, (request) =>
          logPoints(ctx, { format, body: bytesOf(request.body) }),
        );
      const setEntry = (kind: "params" | "tags") => async (entry: z.infer<typeof OneEntry>) => {
        await writeEntries(ctx, runKeyOf(entry), { params: [], tags: [], [kind]: [entry] });
        return {};
      };

      get("/experiments/get-by-name", GetExperimentByName, (input) =>
        getExperimentByName(ctx, input),
      );
      get("/experiments/get", GetExperiment, (input) => getExperiment(ctx, input));
      post("/experiments/create", CreateExperiment, (input) => createExperiment(ctx, input));
      post("/experiments/search", SearchExperiments, (input) => searchExperiments(ctx, input));
      post("/experiments/set-experiment-tag", TagExperiment, (input) => tagExperiment(ctx, input));
      post("/runs/create", CreateRun, (input) => createRun(ctx, input));
      get("/runs/get", RunRef, (input) => getRun(ctx, input));
      post("/runs/update", UpdateRun, (input) => updateRun(ctx, input));
      post("/runs/search", SearchRuns, (input) => searchRuns(ctx, input));
      points("/runs/log-batch", "mlflow-batch");
      points("/runs/log-metric", "mlflow-metric");
      post("/runs/log-parameter", OneEntry, setEntry("params"));
      post("/runs/set-tag", OneEntry, setEntry("tags"));
      post("/runs/delete-tag", TagName, async (input) => {
        await deleteTag(ctx, runKeyOf(input), input.key);
        return {};
      });
      get("/metrics/get-history", GetHistory, (input) => getHistory(ctx, input));
      done();
    },
    { prefix: "/api/2.0/mlflow" },
  );
}

async function logPoints(
  ctx: Context & { actor: string },
  sent: SentBody,
): Promise<Record<string, never>> {
  const { runId, rest, refused } = await ctx.ingest.take(sent);
  const { key, params, tags } = rest as LogBatchRest;
  if (runId === null)
    throw new AppError("NOT_FOUND", { userMessage: `Run with id=${key} not found` });
  await writeEntries(ctx, key, { params, tags });
  await tellRefused(ctx, runId, refused);
  return {};
}
