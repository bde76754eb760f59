import type { ReadSeries, SeriesAnswer } from "@liverl/contract/metric";
import type { PointColumns } from "#live/live.ts";
import type { Points } from "#metrics/chunk-points.ts";
import type { SentRest } from "#trackers/parse-body.ts";
import type { Writer } from "#trackers/writer.ts";

/** A value as JSON can say it: a number, or the name of what is not finite. */
export type MetricValue = number | "NaN" | "Infinity" | "-Infinity";
export interface MetricLine {
  step: number;
  /** Milliseconds since 1970. */
  wallMs: number;
  values: Record<string, MetricValue>;
}

export interface ReadPoints {
  runId: string;
  key: string;
  from: number;
  limit: number;
}

export interface Backlog {
  /** All points up to this journal number are in the answer, or were before `after`. */
  cursor: number;
  series: Map<string, PointColumns>;
}

/** Points of one key as a client sent them: lists of equal length, any order, a repeated step meaning its last value. */
export interface SentSeries {
  key: string;
  step: number[];
  wallMs: number[];
  value: MetricValue[];
}

/** A request body of one of the protocols that clients log through, as it came. */
export type SentBody =
  | { format: "mlflow-batch" | "mlflow-metric"; body: Uint8Array }
  | { format: "wandb-stream"; key: string; body: Uint8Array }
  | { format: "api"; body: Uint8Array };

/** What a body was found to hold. Its points are durable, if there is a run to hold them. */
export interface TakenBody {
  /** The run that the client's name stands for; null when there is none yet, and nothing was kept. */
  runId: string | null;
  points: number;
  /** All of the body but its points, checked. */
  rest: SentRest;
  /** Why some of its points were not kept, those of keys above the most that a run may have; null when all were. */
  refused: string | null;
}

/** The metric store as the rest of control sees it. It works in a thread of its own. */
export interface Ingest {
  readSeries(input: ReadSeries): Promise<SeriesAnswer>;
  /** Points of a run that became visible after the journal number `after`. */
  readBacklog(runId: string, after: number): Promise<Backlog>;
  /** Reads, checks and keeps the points of a request. Throws an AppError for one that is not as its protocol says. */
  take(sent: SentBody, writer: Writer): Promise<TakenBody>;
  /** Resolves once all that was durable at the call can be read. Throws UNAVAILABLE when that takes too long. */
  settle(): Promise<void>;
  /** The points of a series as they are, by step: at most `limit`, from step `from` on. */
  readPoints(input: ReadPoints): Promise<Points>;
  /** Reads the table of sources again: one was added or ended. */
  refresh(): void;
  /** Adds points of our own. Durable when it resolves; visible soon after. */
  append(runId: string, lines: MetricLine[]): Promise<void>;
  close(): Promise<void>;
}
