import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TaskCache } from "#joined/task-cache.ts";
import { packFolder } from "#sandboxes/pack-folder.ts";
import { digestTask } from "#tasks/task-digest.ts";
import { makeFolder, makeTask } from "#testing/make-task.ts";

it("fetches a task once, whole, with its scripts as programs", async () => {
  const task = await makeTask("hello");
  const digest = await digestTask(task);
  const cache = new TaskCache(await makeFolder("cache"));
  let fetched = 0;
  const fetch = async () => {
    fetched++;
    return packFolder(task, "task");
  };
  const [folder, again] = await Promise.all([
    cache.ensure(digest, "hello", fetch),
    cache.ensure(digest, "hello", fetch),
  ]);
  expect(again).toBe(folder);
  expect(fetched).toBe(1);
  expect(await digestTask(folder)).toBe(digest);
  expect(await readFile(join(folder, "task.toml"), "utf8")).toBe(
    await readFile(join(task, "task.toml"), "utf8"),
  );
  expect((await stat(join(folder, "tests", "test.sh"))).mode & 0o111).toBe(0o111);
});

it("refuses a folder that is not the one that was asked for, and asks again", async () => {
  const task = await makeTask("hello");
  const other = await makeTask("hello", { "instruction.md": "Another one." });
  const digest = await digestTask(task);
  const cache = new TaskCache(await makeFolder("cache"));
  await expect(
    cache.ensure(digest, "hello", async () => packFolder(other, "task")),
  ).rejects.toMatchObject({ exceptionType: "TaskTransferError" });
  const folder = await cache.ensure(digest, "hello", async () => packFolder(task, "task"));
  expect(await digestTask(folder)).toBe(digest);
});
