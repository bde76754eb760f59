import { z } from "zod";

const MetricValue = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);
const Line = z.object({
  step: z.number().int(),
  wallMs: z.number(),
  values: z.record(z.string(), MetricValue),
});

/** What the ingest journal holds: lines of a followed file with the place behind them, or points of our own. */
export const IngestRecord = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("file"),
    sourceId: z.number().int(),
    runId: z.string(),
    place: z.object({ position: z.number().int(), generation: z.number().int(), tail: z.string() }),
    lines: z.array(Line),
    faults: z.array(z.object({ offset: z.number().int(), reason: z.string() })),
    faultCount: z.number().int(),
  }),
  z.object({ kind: z.literal("own"), runId: z.string(), lines: z.array(Line) }),
]);
export type IngestRecord = z.infer<typeof IngestRecord>;
export interface NumberedRecord {
  seq: number;
  record: IngestRecord;
}
