import { join } from "node:path";
import { Readable } from "node:stream";
import { AppError } from "@liverl/contract/app-error";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Context } from "#context.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { answerMlflowErrors } from "#mlflow/mlflow-error.ts";
import { getRunRow } from "#mlflow/runs.ts";
import { parseInput } from "#trackers/read-body.ts";
import {
  listFiles,
  parseFileName,
  readStoredFile,
  removeStored,
  storeFile,
} from "#trackers/stored-file.ts";
import type { TrackerContext } from "#trackers/writer.ts";

const ListQuery = z.object({ path: z.string().max(4000).default("") });
const OfFile = z.object({ "*": z.string().max(4000) });
const INGEST = { config: { scope: "ingest" } } as const;

/** The files that a run keeps, in MLflow's words its artifacts: `<experiment>/<run>/artifacts/<name>`, below the run's own folder. */
export function addMlflowArtifactRoutes(server: FastifyInstance, ctx: Context): void {
  void server.register(
    (scope, _, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser("*", (_request, payload, parsed) => parsed(null, payload));
      answerMlflowErrors(scope, ctx);
      const placeOf = ({ writer, params }: FastifyRequest) =>
        findPlace({ ...ctx, writer }, parseInput(OfFile, params)["*"]);

      scope.get("/artifacts", INGEST, async (request) => {
        const { root, parts } = await findPlace(
          { ...ctx, writer: request.writer },
          parseInput(ListQuery, request.query).path,
        );
        const files = await listFiles(root, parts);
        return {
          files: files.map(({ name, sizeBytes }) =>
            sizeBytes === null
              ? { path: name, is_dir: true }
              : { path: name, is_dir: false, file_size: sizeBytes },
          ),
        };
      });
      scope.put("/artifacts/*", INGEST, async (request, reply) => {
        const { root, parts } = await placeOf(request);
        const content = request.body instanceof Readable ? request.body : Readable.from([]);
        await storeFile(root, parts, content);
        return reply.code(200).send();
      });
      scope.get("/artifacts/*", INGEST, async (request, reply) => {
        const { root, parts } = await placeOf(request);
        const content = await readStoredFile(root, parts);
        if (content === null)
          throw new AppError("NOT_FOUND", {
            userMessage: `There is no artifact ${parts.join("/")}.`,
          });
        // A trainer's page must not run on our own origin.
        return reply
          .type("application/octet-stream")
          .header("content-disposition", "attachment")
          .send(content);
      });
      // Trainers write: what they wrote is deleted by those who may act.
      scope.delete("/artifacts/*", { config: { scope: "operate" } }, async (request) => {
        const { root, parts } = await placeOf(request);
        await removeStored(root, parts);
        return {};
      });
      done();
    },
    { prefix: "/api/2.0/mlflow-artifacts" },
  );
}

/** Where the file lies. The run is looked up: its name in a path is a client's word, and the folder's name is ours. */
async function findPlace(
  ctx: Pick<TrackerContext, "pool" | "config" | "writer">,
  path: string,
): Promise<{ root: string; parts: string[] }> {
  const [experiment, key, folder, ...parts] = parseFileName(path);
  if (experiment === undefined || key === undefined || folder !== "artifacts")
    throw new AppError("BAD_REQUEST", {
      userMessage: "An artifact's path is <experiment>/<run>/artifacts/<name>.",
    });
  const { run_id: runId } = await getRunRow(ctx, key);
  return { root: join(runFiles(ctx.config.dataDir, runId).directory, "artifacts"), parts };
}
