import { expect, test } from "vitest";
import { sharedTasks } from "#shared-tasks.ts";
import type { TaskRow } from "#task-view.ts";

/** Visits as [rollouts with a reward, their mean, rollouts without]. */
function row(task: string, ...visits: [number, number | null, number][]): TaskRow {
  const cells = {
    step: visits.map((_, at) => at + 1),
    ended: visits.map(([known, , lost]) => known + lost),
    known: visits.map(([known]) => known),
    solved: visits.map(() => 0),
    mean: visits.map(([, mean]) => mean),
    flagged: visits.map(() => 0),
    sampled: visits.map(() => 0),
    groupId: visits.map((_, at) => `g${at}`),
  };
  return { task, runId: "r", cells };
}

test("tasks that both tried, by how far they are apart", () => {
  const a = [row("t1", [4, 0.5, 0]), row("t2", [4, 1, 0]), row("t10", [4, 0, 0]), row("only-a")];
  const b = [
    ...[row("t10", [2, 1, 0], [6, 0, 1]), row("t2", [4, 0, 0]), row("t1", [0, null, 3])],
    row("only-b", [1, 1, 0]),
  ];
  expect(sharedTasks(a, b)).toEqual([
    {
      task: "t2",
      ...{ a: { rollouts: 4, mean: 1 }, b: { rollouts: 4, mean: 0 }, difference: -1 },
    },
    // Weighted by rollouts: 2 of 8.
    {
      task: "t10",
      ...{ a: { rollouts: 4, mean: 0 }, b: { rollouts: 9, mean: 0.25 }, difference: 0.25 },
    },
    {
      task: "t1",
      ...{ a: { rollouts: 4, mean: 0.5 }, b: { rollouts: 3, mean: null }, difference: null },
    },
  ]);
});
