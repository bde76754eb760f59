import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { AppError } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { DiskRoom } from "#archives/disk-room.ts";
import { importRun } from "#archives/import-run.ts";
import { packArchive } from "#archives/pack-archive.ts";
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
  // Of all imports that go on at once.
  const room = new DiskRoom();
  void server.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    // As a stream: an archive may be larger than any memory.
    scope.addContentTypeParser("*", (_request, payload, parsed) => parsed(null, payload));
    scope.post("/api/v1/runs/import", { bodyLimit: Number.MAX_SAFE_INTEGER }, async (request) => {
      const { actor, audit, ...ctx } = contextFor(request.raw);
      const imported = await importRun(
        { ...ctx, actor: actor ?? "nobody" },
        bodyOf(request.raw),
        room,
      );
      await audit?.("run.import", imported, true);
      return imported;
    });
    done();
  });
}

/**
 * The request's body. Where it is refused in the middle, the rest is read and thrown away: a client that still sends would see
 * a broken connection in place of the words.
 */
function bodyOf(request: IncomingMessage): PassThrough {
  const body = new PassThrough();
  request.once("error", (error) => body.destroy(error));
  request.once("close", () => {
    if (!request.complete) body.destroy(new Error("the connection ended before it did"));
  });
  request.pipe(body);
  // Behind the pipe's own listener, which pauses what it read from: the connection's next request waits for this one's end.
  body.once("close", () => request.resume());
  return body;
}

function parse<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new AppError("BAD_REQUEST", { userMessage: faultOf(parsed.error), cause: parsed.error });
}
