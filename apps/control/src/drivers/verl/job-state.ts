/** What is known of an attempt's job wherever it runs. */
export type JobState =
  | { kind: "waiting"; detail: string | null }
  | { kind: "running" }
  /** Over. `code` is null where nobody saw it end. */
  | { kind: "ended"; code: number | null; detail: string | null }
  /** Nobody knows now: its cluster does not answer. Nothing follows from it. */
  | { kind: "unknown"; detail: string };

/** An attempt's job on some machine. Every method may be called again, by another life of control too. */
export interface VerlJob {
  /** Readies what the job runs in; `progress` is told what is going on. Throws an AppError that says what to do. */
  prepare(progress: (detail: string) => void, signal: AbortSignal): Promise<void>;
  /** Starts it, or finds it started. */
  start(signal: AbortSignal): Promise<void>;
  state(): Promise<JobState>;
  /** Ends it and all that it started; resolves when it is gone, however long its cluster is away. Rejects when `signal` fires. */
  stop(signal?: AbortSignal): Promise<void>;
  /** Keeps the console log in the run's folder up with the job's until `signal`. Nothing to do where it is written there. */
  followLog(signal: AbortSignal): Promise<void>;
}
