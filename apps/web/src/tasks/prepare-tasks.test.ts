import type { TaskRow } from "@liverl/contract/task-view";
import { expect, test } from "vitest";
import { judgeTask } from "#tasks/judge-task.ts";
import { prepareTasks } from "#tasks/prepare-tasks.ts";

function task(
  name: string,
  means: (number | null)[],
  more: { flagged?: number[]; sampled?: number[] } = {},
): TaskRow {
  const all = (value: number) => means.map(() => value);
  return {
    task: name,
    runId: "r",
    cells: {
      step: means.map((_, at) => at + 1),
      ended: all(8),
      known: means.map((mean) => (mean === null ? 0 : 8)),
      solved: means.map((mean) => Math.round((mean ?? 0) * 8)),
      mean: means,
      flagged: more.flagged ?? all(0),
      sampled: more.sampled ?? all(100),
      groupId: means.map((_, at) => `g${at}`),
    },
  };
}

test.each<[string, TaskRow, string | null]>([
  ["never solved", task("a", [0, 0]), "never solved"],
  ["learned", task("a", [0, 0.25, 0.5, 0.75, 1]), "learned"],
  ["forgotten", task("a", [0.5, 1, 0.25, 0.25]), "forgotten"],
  ["flipped", task("a", [0.5, 0.5, 0, 0.5]), "flipped"],
  ["nothing", task("a", [0.5, 0.5, 0.6]), null],
  ["solved at once, no sign: learned", task("a", [0, 0, 1, 1]), "learned"],
  ["solved at once with a flag", task("a", [0, 0, 1, 1], { flagged: [0, 0, 2, 0] }), "suspect"],
  [
    "solved at once, far shorter",
    task("a", [0, 0, 1, 1], { sampled: [100, 90, 30, 90] }),
    "suspect",
  ],
  ["no reward at all", task("a", [null, null]), null],
])("%s", (_, row, mark) => {
  expect(judgeTask(row).mark).toBe(mark);
});

test("a visit without a reward moves no figure", () => {
  const judged = judgeTask(task("a", [0, null, 0.5, 1]));
  expect(judged).toMatchObject({ mean: 0.5, slope: 0.5, last: 1, change: 1, flippedAt: 4 });
});

test("the last visit and its change against the first are those of the cells", () => {
  const judged = judgeTask(task("a", [0.125, 0.875]));
  expect(judged).toMatchObject({ last: 0.875, change: 0.75, slope: 0.75, mark: "learned" });
  expect(judgeTask(task("a", [1, 0.5, 0.25]))).toMatchObject({ last: 0.25, change: -0.75 });
});

test("a task seen once has no change and no slope", () => {
  const judged = judgeTask(task("a", [0.5]));
  expect(judged).toMatchObject({ last: 0.5, change: null, slope: null });
});

test("the order, the marks and the steps", () => {
  const tasks = [task("t10", [0, 0]), task("t9", [0, 1]), task("x", [null]), task("y", [1, 1, 1])];
  const names = (sort: "change" | "mean" | "slope" | "name", name = "") =>
    prepareTasks(tasks, { sort, mark: null, name }).rows.map((row) => row.task);
  expect(names("mean")).toEqual(["y", "t9", "t10", "x"]);
  expect(names("slope")).toEqual(["t9", "t10", "y", "x"]);
  expect(names("change")).toEqual(["t9", "t10", "y", "x"]);
  expect(names("name", "T")).toEqual(["t9", "t10"]);
  const prepared = prepareTasks(tasks, { sort: "mean", mark: "never solved", name: "" });
  expect(prepared.rows.map((row) => row.task)).toEqual(["t10"]);
  expect(prepared).toMatchObject({ firstStep: 1, lastStep: 3 });
  expect(prepared.counts["never solved"]).toBe(1);
});
