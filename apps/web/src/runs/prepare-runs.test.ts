import { expect, test } from "vitest";
import { countViews, nextRunSort } from "#runs/prepare-runs.ts";

test("tabs count the runs of their statuses; a draft is none", () => {
  const status = {
    ...{ draft: 9, queued: 1, booting: 1, running: 3, stopping: 1 },
    ...{ succeeded: 40, stopped: 0, failed: 5, cancelled: 2, ended: 0 },
  };
  expect(countViews({ status, look: 7 })).toEqual({ all: 53, active: 6, look: 7, ended: 47 });
});

test.each([
  ["-started", "reward", "-reward"],
  ["-reward", "reward", "reward"],
  ["reward", "reward", "-reward"],
  ["-started", "name", "name"],
  ["name", "name", "-name"],
])("under %s a click on %s sorts by %s", (sort, field, next) => {
  expect(nextRunSort(sort, field)).toBe(next);
});
