import { Readable } from "node:stream";
import { AppError } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import type { RolloutRow } from "@liverl/contract/views";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Context } from "#context.ts";
import { SqlValues } from "#filters/sql-values.ts";
import { flatRow } from "#rollouts/export/flat-row.ts";
import { streamRollouts } from "#rollouts/export/stream-rollouts.ts";
import { writeAtifLines } from "#rollouts/export/write-atif-lines.ts";
import { writeParquet } from "#rollouts/export/write-parquet.ts";
import { FilterText } from "#rollouts/list-rollouts.types.ts";
import { RolloutSort } from "#rollouts/rollout-order.ts";
import { whereOf } from "#rollouts/select-rollouts.ts";
import { getRunRow } from "#runs/get-run-row.ts";

const Asked = z.object({
  id: z.string().min(1).max(200),
  format: z.enum(["jsonl", "parquet", "atif.jsonl"]),
  f: FilterText.optional(),
  sort: RolloutSort.optional(),
  /** Ids with commas between them. */
  ids: z
    .string()
    .max(100_000)
    .transform((text) => text.split(","))
    .optional(),
});
const MIME = {
  jsonl: "application/x-ndjson",
  parquet: "application/vnd.apache.parquet",
  "atif.jsonl": "application/x-ndjson",
};

/**
 * `GET /api/v1/runs/<run>/rollouts.<jsonl|parquet|atif.jsonl>?f=&sort=&ids=`: rollouts of a filter as one download, streamed
 * while they are read. ATIF has a trajectory a line; rollouts that asked no model have none.
 */
export function addRolloutExportRoute(server: FastifyInstance, ctx: Context): void {
  server.get("/api/v1/runs/:id/:name", async (request, reply) => {
    const asked = readAsked(request.params, request.query);
    const { id: runId, format, ...selection } = asked;
    // A fault must be told before the first byte is.
    await getRunRow(ctx, runId);
    whereOf({ runId, ...selection }, new SqlValues());
    const batches = streamRollouts(ctx, { runId, ...selection });
    return reply
      .type(MIME[format])
      .header("content-disposition", `attachment; filename="${runId}-rollouts.${format}"`)
      .header("cache-control", "no-store")
      .send(Readable.from(bytesOf(ctx, format, batches), { objectMode: false }));
  });
}

function readAsked(params: unknown, query: unknown): z.infer<typeof Asked> {
  const { id, name } = z.object({ id: z.string(), name: z.string() }).parse(params);
  const [, format] = /^rollouts\.(.+)$/.exec(name) ?? [];
  if (format === undefined)
    throw new AppError("NOT_FOUND", {
      userMessage: "A run's exports are rollouts.jsonl, rollouts.parquet and rollouts.atif.jsonl.",
    });
  const parsed = Asked.safeParse({ ...(query as object), id, format });
  if (!parsed.success) throw new AppError("BAD_REQUEST", { userMessage: faultOf(parsed.error) });
  return parsed.data;
}

function bytesOf(
  ctx: Context,
  format: z.infer<typeof Asked>["format"],
  batches: AsyncIterable<RolloutRow[]>,
): AsyncIterable<Uint8Array | string> {
  if (format === "parquet") return writeParquet(batches);
  if (format === "atif.jsonl") return writeAtifLines(ctx, batches);
  return writeLines(batches);
}

async function* writeLines(batches: AsyncIterable<RolloutRow[]>): AsyncGenerator<string> {
  for await (const rows of batches)
    yield rows.map((row) => `${JSON.stringify(flatRow(row))}\n`).join("");
}
