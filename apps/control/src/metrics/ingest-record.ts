import { z } from "zod";

const MetricValue = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);
const Line = z.object({
  step: z.number().int(),
  wallMs: z.number(),
  values: z.record(z.string(), MetricValue),
  /** The source says that it goes on from this step: what came before at it or behind it is void. */
  restarts: z.literal(true).optional(),
});

const Series = z.object({
  key: z.string(),
  step: z.array(z.number().int()),
  wallMs: z.array(z.number()),
  value: z.array(MetricValue),
});

/**
 * What the ingest journal holds: lines of a followed file with the place behind them, points of our own, or points that a client
 * sent, by key and in the order in which it sent them.
 */
export const IngestRecord = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("file"),
    sourceId: z.number().int(),
    runId: z.string(),
    /** The lines have times of their own. */
    hasClock: z.literal(true).optional(),
    place: z.object({ position: z.number().int(), generation: z.number().int(), tail: z.string() }),
    lines: z.array(Line),
    faults: z.array(z.object({ offset: z.number().int(), reason: z.string() })),
    faultCount: z.number().int(),
  }),
  z.object({ kind: z.literal("own"), runId: z.string(), lines: z.array(Line) }),
  z.object({
    kind: z.literal("sent"),
    runId: z.string(),
    /** Of two requests with one name, the second is left out. */
    batch: z.string().nullable(),
    series: z.array(Series),
    /** The client goes on from this step: what it sent before at it or behind it is void. */
    restart: z.number().int().optional(),
    /** Why its points could not be stored: set when they were taken out. */
    lost: z.string().optional(),
  }),
]);
export type IngestRecord = z.infer<typeof IngestRecord>;
export interface NumberedRecord {
  seq: number;
  record: IngestRecord;
}

/** About how much work it is to fold the record. */
export function countPoints(record: IngestRecord | undefined): number {
  if (record === undefined) return 0;
  if (record.kind === "sent")
    return record.series.reduce((points, { step }) => points + step.length, 0);
  return record.lines.reduce((points, { values }) => points + Object.keys(values).length, 0);
}
