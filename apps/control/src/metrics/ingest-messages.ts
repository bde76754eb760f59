import type { AppErrorCode } from "@liverl/contract/app-error";
import type { ReadSeries } from "@liverl/contract/metric";
import type { FoldOutcome } from "#metrics/fold-records.ts";
import type { MetricLine, ReadPoints, SentBody } from "#metrics/ingest.ts";
import type { Writer } from "#trackers/writer.ts";

export interface IngestWorkerOptions {
  databaseUrl: string;
  directory: string;
}

export type IngestCall =
  | { verb: "readSeries"; input: ReadSeries }
  | { verb: "readBacklog"; runId: string; after: number }
  | { verb: "append"; runId: string; lines: MetricLine[] }
  | { verb: "take"; sent: SentBody; writer: Writer }
  | { verb: "settle" }
  | { verb: "readPoints"; input: ReadPoints }
  | { verb: "refresh" }
  | { verb: "close" };

export type ToWorker = { id: number; call: IngestCall };
export type FromWorker =
  | { kind: "ready" }
  | { kind: "answer"; id: number; value: unknown }
  | { kind: "refusal"; id: number; message: string; code: string | null; app: AppErrorCode | null }
  | { kind: "fold"; outcome: FoldOutcome }
  | { kind: "trouble"; what: string; message: string };
