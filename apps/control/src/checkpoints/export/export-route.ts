import { AppError } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import { Count32 } from "@liverl/contract/int32";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { listExport } from "#checkpoints/export/list-export.ts";
import { packTar, tarLength } from "#checkpoints/export/pack-tar.ts";
import type { Context } from "#context.ts";

const OfCheckpoint = z.object({
  id: z.string().min(1).max(200),
  step: z.coerce.number().pipe(Count32),
});

/** `GET /api/v1/runs/<run>/checkpoints/<step>.tar`: a checkpoint as one download, with the digests of its files. */
export function addExportRoute(server: FastifyInstance, ctx: Context): void {
  server.get("/api/v1/runs/:id/checkpoints/:step.tar", async (request, reply) => {
    const parsed = OfCheckpoint.safeParse(request.params);
    if (!parsed.success) throw new AppError("BAD_REQUEST", { userMessage: faultOf(parsed.error) });
    const { id: runId, step } = parsed.data;
    const files = await listExport(ctx, { runId, step });
    const prefix = `${runId}-step-${step}`;
    const length = tarLength(prefix, files);
    if (length !== null) reply.header("content-length", length);
    return reply
      .type("application/x-tar")
      .header("content-disposition", `attachment; filename="${prefix}.tar"`)
      .header("cache-control", "no-store")
      .send(packTar(prefix, files, new Date()));
  });
}
