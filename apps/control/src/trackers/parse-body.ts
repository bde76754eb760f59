import type { SentBody, SentSeries } from "#metrics/ingest.ts";
import { parseLogBatch, parseLogMetric } from "#mlflow/parse-log-batch.ts";
import type { Entry } from "#mlflow/rest-shapes.ts";
import type { LogMetricsRest } from "#trackers/parse-log-metrics.ts";
import { parseLogMetrics } from "#trackers/parse-log-metrics.ts";
import { type FileStreamRest, parseFileStream } from "#wandb/parse-file-stream.ts";
import type { StepAxis } from "#wandb/step-axes.ts";

export type SentRest = LogBatchRest | FileStreamRest | LogMetricsRest;
export interface LogBatchRest {
  key: string;
  params: Entry[];
  tags: Entry[];
}

export interface ParsedBody {
  source: "mlflow" | "wandb" | "api";
  /** The client's name for the run. */
  key: string;
  batch: string | null;
  series: SentSeries[];
  points: number;
  rest: SentRest;
}

/** Reads and checks a request of any of the protocols. Throws BAD_REQUEST with what is wrong. */
export function parseBody(sent: SentBody, axes: readonly StepAxis[] = []): ParsedBody {
  switch (sent.format) {
    case "mlflow-batch":
      return parseLogBatch(sent.body);
    case "mlflow-metric":
      return parseLogMetric(sent.body);
    case "wandb-stream":
      return parseFileStream(sent.body, sent.key, axes);
    case "api":
      return parseLogMetrics(sent.body);
  }
}
