import { createHash } from "node:crypto";
import { Random } from "@liverl/contract/random";
import { drawRepairTask } from "@liverl/contract/repair-task";
import { z } from "zod";
import type { AdamState } from "#learner/adam.ts";
import type { CriticState } from "#learner/value-head.ts";
import { hashParameters, type Parameters } from "#model/parameters.ts";

/** A task that was drawn, by its place in the order of all draws of the run. */
export const DrawnTask = z.object({ index: z.number().int(), taskRef: z.string() });
export type DrawnTask = z.infer<typeof DrawnTask>;

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
  /** fully_async: number of the weights in the state; null: that of the step. */
  weightVersion: z.number().int().nullable().default(null),
  /** fully_async: tasks drawn so far, and those of them that no update has taken yet. */
  drawn: z.number().int().default(0),
  untrained: z.array(DrawnTask).default([]),
  /** fully_async: prompts whose rollouts came back, whose rollouts were too old, and rollouts that trained under newer weights. */
  generatedSamples: z.number().int().default(0),
  droppedStaleSamples: z.number().int().default(0),
  staleTrajectories: z.number().int().default(0),
});
export type Progress = z.infer<typeof Progress>;

export interface TrainerState {
  progress: Progress;
  parameters: Parameters;
  adam: AdamState;
  /** Of `gae` alone. */
  critic: CriticState | null;
}

/** Number of the weights in the state. */
export function versionOf({ step, weightVersion }: Progress): number {
  return weightVersion ?? step;
}

/** The next task of the run's order. Changes `progress`. */
export function drawTask(progress: Progress): DrawnTask {
  const random = new Random(progress.taskRandomState);
  const { ref } = drawRepairTask(random, false);
  progress.taskRandomState = random.state;
  return { index: progress.drawn++, taskRef: ref };
}

/** A run's beginning on the parameters of its warm-up. */
export function firstProgress(taskRandomState: number, warmupSeconds: number): Progress {
  return Progress.parse({
    step: 0,
    adamUpdates: 0,
    taskRandomState,
    heldOutBefore: null,
    rollouts: 0,
    calls: 0,
    tokens: 0,
    maxLogprobDiff: 0,
    reachedGoal: false,
    warmupSeconds,
  });
}

/** The state of another run as the beginning of this one: its training, and none of its work or its end. */
export function asFork(state: TrainerState): TrainerState {
  const progress = {
    ...state.progress,
    // Measured anew: the parent's was of other weights.
    heldOutBefore: null,
    rollouts: 0,
    calls: 0,
    tokens: 0,
    maxLogprobDiff: 0,
    reachedGoal: false,
    warmupSeconds: 0,
    generatedSamples: 0,
    droppedStaleSamples: 0,
    staleTrajectories: 0,
  };
  return { ...state, progress };
}

/**
 * Digest of what decides how training goes on; counters, timings and the numbers of versions are left out, so that a
 * replay has the same one.
 */
export function hashState({ progress, parameters, adam, critic }: TrainerState): string {
  const { step, adamUpdates, taskRandomState, untrained } = progress;
  const words = [
    ...[step, adamUpdates, taskRandomState],
    hashParameters(parameters, adam.mean, adam.square),
    ...(critic ? [`critic ${critic.adam.updates}`, hashCritic(critic)] : []),
    ...untrained.map(({ index, taskRef }) => `${index} ${taskRef}`),
  ];
  return createHash("sha256").update(words.join("|")).digest("hex");
}

function hashCritic({ parameters, adam }: CriticState): string {
  return hashParameters(parameters, adam.mean, adam.square);
}
