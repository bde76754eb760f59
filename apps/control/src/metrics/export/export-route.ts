import { Readable } from "node:stream";
import { AppError } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import { ExportMetrics } from "@liverl/contract/metric";
import type { Run } from "@liverl/prisma/client";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Context } from "#context.ts";
import { type ExportedPoints, readExported } from "#metrics/export/read-exported.ts";
import { writeCsv } from "#metrics/export/write-csv.ts";
import { writeJson } from "#metrics/export/write-json.ts";
import { writeParquet } from "#metrics/export/write-parquet.ts";
import { getRunRow } from "#runs/get-run-row.ts";

const OfRun = z.object({ id: z.string().min(1).max(200) });
/** 20,000 keys of 300 characters. */
const BODY_BYTES = 8 * 1024 * 1024;

type Pages = AsyncIterable<ExportedPoints>;
const WRITERS = {
  csv: { type: "text/csv; charset=utf-8", write: (pages: Pages) => writeCsv(pages) },
  json: { type: "application/json", write: (pages: Pages, run: Run) => writeJson(pages, run) },
  parquet: {
    type: "application/vnd.apache.parquet",
    write: (pages: Pages) => writeParquet(pages),
  },
} as const;

/** `POST /api/v1/runs/<run>/metrics/export`: points of the asked metrics as a file. A body, since keys may be thousands. */
export function addMetricsExportRoute(server: FastifyInstance, ctx: Context): void {
  server.post(
    "/api/v1/runs/:id/metrics/export",
    // A read, though it is posted.
    { bodyLimit: BODY_BYTES, config: { scope: "read" } },
    async (request, reply) => {
      const { id } = read(OfRun, request.params);
      const wish = read(ExportMetrics, request.body ?? {});
      const run = await getRunRow(ctx, id);
      const { type, write } = WRITERS[wish.format];
      return reply
        .type(type)
        .header("content-disposition", `attachment; filename="${id}-metrics.${wish.format}"`)
        .header("cache-control", "no-store")
        .send(Readable.from(write(readExported(ctx, id, wish), run), { objectMode: false }));
    },
  );
}

function read<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new AppError("BAD_REQUEST", { userMessage: faultOf(parsed.error), cause: parsed.error });
}
