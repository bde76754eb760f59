import { expect, test } from "vitest";
import { asFork, firstProgress, hashState, type TrainerState } from "#trainer/trainer-state.ts";

test("a fork goes on with the parent's training, and not with its end or its work", () => {
  const state: TrainerState = {
    progress: {
      ...firstProgress(7, 3),
      step: 6,
      adamUpdates: 12,
      heldOutBefore: 0.2,
      rollouts: 48,
      reachedGoal: true,
    },
    parameters: new Map(),
    adam: { updates: 12, mean: new Map(), square: new Map() },
    critic: null,
  };
  const fork = asFork(state);
  expect(hashState(fork)).toBe(hashState(state));
  expect(fork.progress).toMatchObject({
    step: 6,
    reachedGoal: false,
    rollouts: 0,
    heldOutBefore: null,
  });
  expect(state.progress.reachedGoal).toBe(true);
});
