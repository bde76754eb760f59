import { expect, it } from "vitest";
import { taskFolderOf } from "#tasks/task-folder.ts";

it.each([
  ["/data/tasks/one", "/data/tasks/one"],
  ["harbor:/data/tasks/one", "/data/tasks/one"],
  ["harbor:tasks/one", null],
  ["repair/7", null],
  ["/data\0/x", null],
  ["", null],
])("%s is the folder %s", (ref, folder) => {
  expect(taskFolderOf(ref)).toBe(folder);
});
