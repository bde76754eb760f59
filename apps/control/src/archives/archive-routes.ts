import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { AppError } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { importRun } from "#archives/import-run.ts";
import { packArchive } from "#archives/pack-archive.ts";
import type { Context } from "#context.ts";
import type { RequestContext } from "#trpc.ts";

const Asked = z.object({ id: z.string().min(1).max(200) });
const Query = z.strictObject({ checkpoints: z.enum(["true", "false"]).default("false") });

/** `GET /api/v1/runs/<run>/archive.tar.gz` and `POST /api/v1/runs/import`: a run as one file, out and in. */
export function addArchiveRoutes(
  server: FastifyInstance,
  contextFor: (request: IncomingMessage) => RequestContext,
): void {
  server.get("/api/v1/runs/:id/archive.tar.gz", async (request, reply) => {
    const { id: runId } = parse(Asked, request.params);
    const { checkpoints } = parse(Query, request.query);
    const archive = await packArchive(contextFor(request.raw), {
      runId,
      checkpoints: checkpoints === "true",
    });
    return reply
      .type("application/gzip")
      .header("content-disposition", `attachment; filename="${runId}.tar.gz"`)
      .header("cache-control", "no-store")
      .send(archive);
  });
  void server.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    // As a stream: an archive may be larger than any memory.
    scope.addContentTypeParser("*", (_request, payload, parsed) => parsed(null, payload));
    scope.post("/api/v1/runs/import", { bodyLimit: Number.MAX_SAFE_INTEGER }, async (request) => {
      const { actor, ...ctx } = contextFor(request.raw);
      return importBody({ ...ctx, actor: actor ?? "nobody" }, request.raw);
    });
    done();
  });
}

/** What is left of a refused archive is read and dropped: unread, it would hold up the answer and whatever comes after it. */
async function importBody(
  ctx: Context & { actor: string },
  body: IncomingMessage,
): Promise<{ id: string }> {
  const archive = body.pipe(new PassThrough());
  body.once("error", (error) => archive.destroy(error));
  body.once("close", () => {
    if (!body.complete) archive.destroy(new Error("the upload broke off"));
  });
  try {
    return await importRun(ctx, archive);
  } finally {
    body.unpipe(archive);
    body.resume();
  }
}

function parse<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new AppError("BAD_REQUEST", { userMessage: faultOf(parsed.error), cause: parsed.error });
}
