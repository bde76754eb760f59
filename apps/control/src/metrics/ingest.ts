import type { ReadSeries, SeriesAnswer } from "@liverl/contract/metric";
import type { PointColumns } from "#live/live.ts";

/** A value as JSON can say it: a number, or the name of what is not finite. */
export type MetricValue = number | "NaN" | "Infinity" | "-Infinity";
export interface MetricLine {
  step: number;
  /** Milliseconds since 1970. */
  wallMs: number;
  values: Record<string, MetricValue>;
}

export interface Backlog {
  /** All points up to this journal number are in the answer, or were before `after`. */
  cursor: number;
  series: Map<string, PointColumns>;
}

/** The metric store as the rest of control sees it. It works in a thread of its own. */
export interface Ingest {
  readSeries(input: ReadSeries): Promise<SeriesAnswer>;
  /** Points of a run that became visible after the journal number `after`. */
  readBacklog(runId: string, after: number): Promise<Backlog>;
  /** Reads the table of sources again: one was added or ended. */
  refresh(): void;
  /** Adds points of our own. Durable when it resolves; visible soon after. */
  append(runId: string, lines: MetricLine[]): Promise<void>;
  close(): Promise<void>;
}
