import type { UpdateRecord } from "@liverl/contract/trainer";
import type { Stopwatch } from "#trainer/stopwatch.ts";
import type { TrainedBatch } from "#trainer/train-batch.ts";
import type { DrawnTask } from "#trainer/trainer-state.ts";

/** Keeps what an update takes, before it begins. */
export type RecordUpdate = (update: Omit<UpdateRecord, "attempt">) => Promise<void>;

/** Keeps what an update computed of its tokens, after it. */
export type RecordTokens = (
  update: Pick<UpdateRecord, "step" | "update" | "version" | "isSynced">,
  batch: TrainedBatch,
) => Promise<void>;

/** How rollouts come to updates: one file a mode of the trainer. */
export interface SamplingMode {
  /** Gets the rollouts of one step and trains on them. Counts the step. */
  train(watch: Stopwatch): Promise<TrainedBatch[]>;
  /** What happens to running generations when weights come: vLLM's modes. */
  readonly interrupt: "abort" | "keep";
  /** Before the engines get new weights. */
  beforeSync(): Promise<void>;
  /** The engines have the weights. Answers with what the mode measured since the last ones. */
  afterSync(): Record<string, number>;
  /** Tasks that were drawn and that no update has taken: a resume begins with them. */
  untrained(): DrawnTask[];
  /** Ends what is still sampled for. */
  close(): Promise<void>;
}
