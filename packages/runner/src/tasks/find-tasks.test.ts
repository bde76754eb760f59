import { mkdir, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { findTasks } from "@liverl/durable/tasks/find-tasks";
import { describe, expect, it } from "vitest";
import { makeFolder, TASKS, writeFiles } from "#testing/make-task.ts";

const paths = async (folder: string) => (await findTasks(folder)).tasks.map(({ path }) => path);

describe("the tasks of a folder", () => {
  it("are those below it, in order", async () => {
    const { name, tasks, problems } = await findTasks(TASKS);
    expect({ name, problems }).toEqual({ name: "tasks", problems: [] });
    expect(tasks).toEqual(
      ["bundled", "hello", "multi", "noreward", "slow", "stages"].map((path) => ({
        path,
        folder: join(TASKS, path),
      })),
    );
  });

  it("are itself where it is one", async () => {
    expect(await findTasks(join(TASKS, "hello"))).toMatchObject({
      tasks: [{ path: "hello", folder: join(TASKS, "hello") }],
    });
  });

  it("are found at any depth, but not in a task or beside the work of tools", async () => {
    const folder = await makeFolder("set");
    await writeFiles(folder, {
      "tasks/a/task.toml": "",
      "tasks/b/task.toml": "",
      "deep/er/c/task.toml": "",
      "tasks/a/environment/task.toml": "",
      "node_modules/x/task.toml": "",
      ".git/y/task.toml": "",
      "README.md": "",
    });
    expect(await paths(folder)).toEqual(["deep/er/c", "tasks/a", "tasks/b"]);
  });

  it("take their set's name from dataset.toml", async () => {
    const folder = await makeFolder("set");
    await writeFiles(folder, {
      "dataset.toml": '[dataset]\nname = "org/set"\n[[tasks]]\nname = "org/a"\n',
      "a/task.toml": "",
    });
    expect((await findTasks(folder)).name).toBe("org/set");
  });

  it("are never outside of it", async () => {
    const folder = await makeFolder("set");
    await writeFiles(folder, { "outside/task.toml": "", "set/a/task.toml": "" });
    const set = join(folder, "set");
    await symlink("../outside", join(set, "b"));
    await symlink("a", join(set, "c"));
    await symlink(".", join(set, "round"));
    await symlink("nowhere", join(set, "dangling"));
    const { tasks, problems } = await findTasks(set);
    expect(tasks.map(({ path }) => path)).toEqual(["a"]);
    expect(problems).toEqual([
      `${set}/b leads out of the folder, or nowhere: left out.`,
      `${set}/dangling leads out of the folder, or nowhere: left out.`,
    ]);
  });

  it("are those that registry.json names", async () => {
    const folder = await makeFolder("set");
    await writeFiles(folder, {
      "registry.json": JSON.stringify([
        {
          name: "set",
          version: "1.0",
          description: "",
          tasks: [
            { name: "b", path: "x/b" },
            { name: "a", path: "x/a" },
            { name: "again", path: "./x/a" },
            { name: "far", git_url: "https://example.com/x.git", path: "far" },
            { name: "out", path: "../.." },
            { name: "none", path: "x" },
          ],
        },
      ]),
      "x/a/task.toml": "",
      "x/b/task.toml": "",
      "x/c/task.toml": "",
    });
    const { tasks, problems } = await findTasks(folder);
    expect(tasks.map(({ folder }) => basename(folder))).toEqual(["b", "a"]);
    expect(problems.map((line) => line.replace(`${folder}/registry.json: `, ""))).toEqual([
      "far lies in https://example.com/x.git: clone it and take the folder.",
      "the path of out, ../.., leads out of the folder, or nowhere.",
      "none has no task.toml in x.",
    ]);
  });

  it.each([
    [{}, /has no task in Harbor's format/],
    [{ "registry.json": "[" }, /registry\.json is not JSON/],
    [{ "registry.json": '{"a": 1}' }, /is no registry of Harbor/],
    [{ "registry.json": "[]" }, /has no task in Harbor's format/],
    [{ "dataset.toml": "a =", "a/task.toml": "" }, /dataset\.toml:1:\d+: this is not TOML/],
  ])("must be there: %j", async (files, expected) => {
    const folder = await makeFolder("set");
    await writeFiles(folder, files);
    await expect(findTasks(folder)).rejects.toThrow(expected);
  });

  it("can not be looked for where there is no folder", async () => {
    await expect(findTasks("/nowhere/at/all")).rejects.toThrow("There is no folder");
    await expect(findTasks("/etc/hostname")).rejects.toThrow("is no folder");
  });

  it("are thousands in little time", async () => {
    const folder = await makeFolder("set");
    for (let i = 0; i < 2_000; i++) {
      await mkdir(join(folder, `t${i}`));
      await symlink(join(TASKS, "hello/task.toml"), join(folder, `t${i}/task.toml`));
    }
    const start = performance.now();
    expect(await paths(folder)).toHaveLength(2_000);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
