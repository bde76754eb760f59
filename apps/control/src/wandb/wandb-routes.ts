import { Readable } from "node:stream";
import { AppError, HTTP_STATUS } from "@liverl/contract/app-error";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Context } from "#context.ts";
import { drainRequest } from "#drain-request.ts";
import { asAppError } from "#errors.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { findTrackedRun } from "#trackers/open-tracked-run.ts";
import { bytesOf, parseBytes, parseInput, takeBytes } from "#trackers/read-body.ts";
import { projectNameOf } from "#trackers/slug-of.ts";
import { parseFileName, storeFile } from "#trackers/stored-file.ts";
import type { TrackerContext } from "#trackers/writer.ts";
import { answerOperation, GraphqlBody } from "#wandb/answer-operation.ts";
import { findUploadRoot, type Upload } from "#wandb/run-files.ts";
import { ENTITY, RunPath, runKeyOf } from "#wandb/run-key.ts";
import { takeStream } from "#wandb/take-stream.ts";

const INGEST = { config: { scope: "ingest" } } as const;
const UPLOAD_KINDS = z.enum(["file", "artifact"]);

/** What the `wandb` client asks of the server that WANDB_BASE_URL names. */
export function addWandbRoutes(server: FastifyInstance, context: Context): void {
  const contextOf = ({ writer }: FastifyRequest): TrackerContext => ({
    ...context,
    actor: "wandb",
    writer,
  });
  addLinks(server, context);
  void server.register((scope, _, done) => {
    takeBytes(scope);
    answerGraphqlErrors(scope, context);
    scope.post("/graphql", INGEST, async (request) => ({
      data: await answerOperation(
        contextOf(request),
        uploadOf(request),
        parseBytes(GraphqlBody, request.body),
      ),
    }));
    scope.post("/files/:entity/:project/:run/file_stream", INGEST, async (request) => {
      await takeStream(
        contextOf(request),
        runKeyOf(parseInput(RunPath, request.params)),
        bytesOf(request.body),
      );
      return {};
    });
    done();
  });
  void server.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, parsed) => parsed(null, payload));
    answerGraphqlErrors(scope, context);
    for (const kind of UPLOAD_KINDS.options)
      scope.put(`/files/:entity/:project/:run/${kind}/*`, INGEST, async (request, reply) => {
        const { "*": name } = parseInput(z.object({ "*": z.string() }), request.params);
        const root = await findUploadRoot(
          contextOf(request),
          parseInput(RunPath, request.params),
          kind,
        );
        const content = request.body instanceof Readable ? request.body : Readable.from([]);
        await storeFile(root, parseFileName(name), content);
        return reply.code(200).send();
      });
    done();
  });
}

/** Where the links lead that the client prints: `<entity>/<project>/runs/<run>`, and the project alone. */
function addLinks(server: FastifyInstance, ctx: Context): void {
  server.get(`/${ENTITY}/:project/runs/:run`, async (request, reply) => {
    const path = parseInput(RunPath, request.params);
    const tracked = await findTrackedRun(
      { ...ctx, writer: request.writer },
      "wandb",
      runKeyOf(path),
    );
    if (!tracked)
      throw new AppError("NOT_FOUND", { userMessage: `There is no run ${runKeyOf(path)}.` });
    const { project, id } = await getRunRow(ctx, tracked.runId);
    return reply.redirect(`/p/${project}/runs/${encodeURIComponent(id)}`);
  });
  server.get(`/${ENTITY}/:project`, async (request, reply) => {
    const { project } = parseInput(RunPath.pick({ project: true }), request.params);
    return reply.redirect(`/p/${projectNameOf(project ?? "")}/runs`);
  });
}

/** The client tries again on 5xx and 429; what is its own fault is told once. */
function answerGraphqlErrors(scope: FastifyInstance, ctx: Pick<Context, "log">): void {
  scope.setErrorHandler(async (error, request, reply) => {
    const status = error instanceof Error && "statusCode" in error ? error.statusCode : null;
    const isFastify = error instanceof Error && typeof status === "number" && status < 500;
    const known = asAppError(error);
    if (!isFastify && known.code === "INTERNAL")
      ctx.log.error({ err: error, url: request.url }, "request failed");
    if (status === HTTP_STATUS.TOO_LARGE) await drainRequest(request.raw);
    const message = isFastify ? error.message : known.userMessage;
    return reply.code(isFastify ? status : HTTP_STATUS[known.code]).send({ errors: [{ message }] });
  });
}

function uploadOf(request: FastifyRequest): Upload {
  const { host, authorization } = request.headers;
  return { origin: `http://${host}`, authorization: authorization ?? "" };
}
