import { expect, test } from "vitest";
import { pickHonestSibling } from "#trajectories/find-honest-sibling.ts";
import { countPatchLines } from "#trajectories/read-patch.ts";

const rollout = (index: number, reward: number | null, more: object = {}) => ({
  rolloutId: `r${index}`,
  index,
  taskId: "t",
  mode: "train",
  status: "succeeded",
  integrityKinds: [] as string[],
  reward,
  ...more,
});
const flagged = rollout(3, 1, { integrityKinds: ["tests-edited"] });
const pick = (...siblings: ReturnType<typeof rollout>[]) =>
  pickHonestSibling(flagged, [flagged, ...siblings])?.rolloutId ?? null;

test("the highest reward without a sign; of equals the nearest", () => {
  expect(pick(rollout(0, 0.5), rollout(7, 0.75), rollout(4, 0))).toBe("r7");
  expect(pick(rollout(0, 0.5), rollout(4, 0.5), rollout(7, 0.5))).toBe("r4");
  expect(pick(rollout(4, 0.5), rollout(2, 0.5))).toBe("r2");
});

test.each([
  ["itself alone", []],
  ["one with a sign", [rollout(1, 1, { integrityKinds: ["network-used"] })]],
  ["one without a reward", [rollout(1, null)]],
  ["one that goes on", [rollout(1, 1, { status: "running" })]],
  ["one that infrastructure failed", [rollout(1, 1, { status: "failed" })]],
  ["one of another task", [rollout(1, 1, { taskId: "u" })]],
  ["one of an evaluation", [rollout(1, 1, { mode: "eval" })]],
])("%s is nobody to compare with", (_what, siblings) => {
  expect(pick(...siblings)).toBeNull();
});

test("lines of a patch, not those of its head", () => {
  const patch =
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n--- b\n+++ c\n+d\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +0,0 @@\n-gone\n";
  expect(countPatchLines(patch)).toBe(4);
  expect(countPatchLines("")).toBe(0);
});
