import type { ProjectTask } from "@liverl/contract/task-view";
import { expect, test } from "vitest";
import { prepareProjectTasks } from "#tasks/prepare-project-tasks.ts";

const task = (name: string, known: number, solved: number): ProjectTask => ({
  ...{ task: name, runs: 1, ended: known + 1, known, solved, flagged: 0 },
  mean: known === 0 ? null : solved / known,
});
const TASKS = [task("t10", 4, 1), task("t2", 4, 4), task("t9", 0, 0), task("t1", 8, 2)];
const names = (wish: Partial<Parameters<typeof prepareProjectTasks>[1]>) =>
  prepareProjectTasks(TASKS, { sort: "solved", isAscending: false, name: "", ...wish }).map(
    (one) => one.task,
  );

test("tasks stand in the order that is asked for, unknown ones last, equals by number", () => {
  expect(names({})).toEqual(["t2", "t1", "t10", "t9"]);
  expect(names({ isAscending: true })).toEqual(["t1", "t10", "t2", "t9"]);
  expect(names({ sort: "name", isAscending: true })).toEqual(["t1", "t2", "t9", "t10"]);
  expect(names({ sort: "rollouts" })).toEqual(["t1", "t2", "t10", "t9"]);
  expect(names({ name: " T1" })).toEqual(["t1", "t10"]);
});

test("pass@1 is the share of those with a reward", () => {
  const [solved, ...rest] = prepareProjectTasks(TASKS, {
    ...{ sort: "solved", isAscending: false, name: "" },
  });
  expect([solved?.passAt1, rest.at(-1)?.passAt1]).toEqual([1, null]);
});
