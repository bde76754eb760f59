import { expect, test } from "vitest";
import { compareWithSibling } from "#trajectories/compare-with-sibling.ts";

test.each([
  [
    1,
    { reward: 0.5, patchLines: 12, ownPatchLines: 3 },
    "reward 0.50 (−0.50), a patch of 12 lines (+9)",
  ],
  [
    1,
    { reward: 1, patchLines: 1, ownPatchLines: 1 },
    "reward 1.00 (the same), a patch of 1 line (the same)",
  ],
  [null, { reward: 0, patchLines: null, ownPatchLines: 3 }, "reward 0.00, and none here, no patch"],
  [
    0,
    { reward: 1, patchLines: 2, ownPatchLines: null },
    "reward 1.00 (+1.00), a patch of 2 lines, and none here",
  ],
])("a flagged rollout of reward %s beside its sibling %o", (reward, sibling, text) => {
  expect(compareWithSibling(reward, { rolloutId: "r", index: 0, ...sibling })).toBe(text);
});
