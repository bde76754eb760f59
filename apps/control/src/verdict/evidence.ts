import type { Advisory, RunStatus } from "@liverl/contract/run";
import type { Thresholds } from "@liverl/contract/threshold";
import type { Crash, Signals } from "#verdict/load-signals.ts";

/** All that a verdict is taken from. Nothing else is looked at, so that the same evidence gives the same verdict. */
export interface RunEvidence {
  status: RunStatus;
  statusReason: string | null;
  signals: Signals;
  thresholds: Thresholds;
  /** When the newest point was written, milliseconds since 1970. */
  lastPointMs: number | null;
  /** When the trainer's present attempt began: what an earlier one logged is another story. Null: there was none. */
  attemptSinceMs: number | null;
  /** When LiveRL began to follow an attached file or folder; of other runs it is left out. */
  attachedMs?: number;
  /** Engines and trainer take turns on the same machines, so that one of them always waits. */
  isColocated: boolean;
  /** Advantages are not rewards against those of the group, as with a critic: equal rewards train all the same. */
  equalTrains?: boolean;
  /** Whether it trains on GPUs, for which some advice is meant. The embedded driver has none. */
  hasGpus: boolean;
  nowMs: number;
  /** Deaths of the trainer, oldest first. */
  crashes: readonly Crash[];
  /** Key under which a signal is judged → key under which the run logs it, where they differ. */
  names?: ReadonlyMap<string, string>;
}

/** One family of signs. Pure. */
export type Judge = (evidence: RunEvidence) => readonly Advisory[];

/** Newest steps that anything is judged over. */
export const WINDOW = 20;
/** Steps before anything is said of a trend. */
export const MIN_STEPS = 10;
/** Newest steps that a level is taken over: one odd step is no level. */
export const LEVEL_STEPS = 3;
/** Reward, 0…1, from which on there is little left to gain. */
export const SOLVED = 0.9;
/** Steps without a sign after which it is over. One that returns earlier never left. */
export const MERGE_STEPS = 5;
