import { createHash } from "node:crypto";
import { z } from "zod";
import type { AdamState } from "#learner/adam.ts";
import { hashParameters, type Parameters } from "#model/parameters.ts";

/** Where a run is: all that a resume needs beside the tensors. */
export const Progress = z.object({
  step: z.number().int(),
  adamUpdates: z.number().int(),
  /** State of the generator that draws the training tasks. */
  taskRandomState: z.number().int(),
  heldOutBefore: z.number().nullable(),
  rollouts: z.number().int(),
  calls: z.number().int(),
  tokens: z.number().int(),
  maxLogprobDiff: z.number(),
  /** Whether an in-run evaluation has reached the reward that ends the run. */
  reachedGoal: z.boolean(),
  warmupSeconds: z.number(),
});
export type Progress = z.infer<typeof Progress>;

export interface TrainerState {
  progress: Progress;
  parameters: Parameters;
  adam: AdamState;
}

/** The state of another run as the beginning of this one: its training, and none of its work or its end. */
export function asFork(state: TrainerState): TrainerState {
  const progress = {
    ...state.progress,
    rollouts: 0,
    calls: 0,
    tokens: 0,
    maxLogprobDiff: 0,
    reachedGoal: false,
    warmupSeconds: 0,
  };
  return { ...state, progress };
}

/** Digest of what decides how training goes on; counters and timings are left out, so that a replay has the same one. */
export function hashState({ progress, parameters, adam }: TrainerState): string {
  const { step, adamUpdates, taskRandomState } = progress;
  const words = `${step}|${adamUpdates}|${taskRandomState}|${hashParameters(parameters, adam.mean, adam.square)}`;
  return createHash("sha256").update(words).digest("hex");
}
