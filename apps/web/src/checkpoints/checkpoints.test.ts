import type { CheckpointRow } from "@liverl/contract/views";
import { expect, test } from "vitest";
import { prepareLine, prepareStats } from "#checkpoints/prepare-stats.ts";

const row = (step: number, change: Partial<CheckpointRow> = {}): CheckpointRow => ({
  step,
  path: `global_step_${step}`,
  writtenAt: "2026-01-01T00:00:00Z",
  seconds: 1,
  sizeBytes: 100,
  onDisk: true,
  complete: true,
  contents: [],
  weightsSha256: null,
  stateSha256: null,
  reward: null,
  heldOutReward: null,
  loadedBy: [],
  forks: [],
  merge: null,
  hf: null,
  can: { merge: true, download: true, forkResume: true, forkWeights: true },
  ...change,
});

test("stats count what is on disk and find the best", () => {
  const stats = prepareStats(
    [
      row(30, { heldOutReward: 0.8 }),
      row(20, { heldOutReward: 0.8 }),
      row(10, { onDisk: false, heldOutReward: 0.2, sizeBytes: 0 }),
    ],
    1050,
  );
  expect(stats).toMatchObject({ onDisk: 2, total: 3, diskBytes: 200, moreFit: 10 });
  expect(stats.best?.step).toBe(30);
  expect(stats.last?.step).toBe(30);
  expect(prepareStats([], 10)).toMatchObject({ best: null, last: null, moreFit: null });
});

test.each([
  [100, 40, { end: 100, ticks: [0, 20, 40, 60, 80, 100] }],
  [null, 3, { end: 3, ticks: [0, 1, 2, 3] }],
  [null, 0, { end: 1, ticks: [0, 1] }],
])("the line of a plan of %s at step %s", (planned, step, line) => {
  expect(prepareLine([], step, planned)).toEqual(line);
});
