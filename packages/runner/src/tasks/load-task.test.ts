import { execFileSync } from "node:child_process";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { describe, expect, it } from "vitest";
import { loadTask } from "#tasks/load-task.ts";
import { digestTask } from "#tasks/task-digest.ts";
import { makeFolder, makeTask, TASKS, writeFiles } from "#testing/make-task.ts";

const userMessage = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error("no error", { cause: error });
  return error.userMessage;
};

describe("a task of one step", () => {
  it("is read with its files", async () => {
    const task = await loadTask(join(TASKS, "hello"));
    expect(task).toMatchObject({
      name: "liverl/hello",
      hasSteps: false,
      dockerfile: join(TASKS, "hello/environment/Dockerfile"),
      composeFile: null,
      warnings: [],
    });
    expect(task.steps).toEqual([
      {
        name: null,
        instruction:
          'Write the text "hello" followed by a newline into hello.txt in the working directory.\n',
        testFolders: [join(TASKS, "hello/tests")],
        verifierEnvironment: null,
        solutionFolder: join(TASKS, "hello/solution"),
        workdirFolder: null,
        trajectoryFile: null,
      },
    ]);
  });

  it("is named after its folder where it says no name", async () => {
    const folder = await makeTask("hello", { "task.toml": "" });
    expect((await loadTask(folder)).name).toBe("hello");
  });

  it("needs no environment folder with an image", async () => {
    const folder = await makeTask("hello", { "task.toml": '[environment]\ndocker_image = "x"\n' });
    await rm(join(folder, "environment"), { recursive: true });
    expect(await loadTask(folder)).toMatchObject({ dockerfile: null });
  });

  it("tells old keys and those that nobody knows", async () => {
    const folder = await makeTask("hello", {
      "task.toml":
        'version = "1.0"\nflavour = 1\n[environment]\nmemory = "2G"\nstorage = 10\nallow_internet = true\nram = 3\n[metadata]\nanything = 1\n',
    });
    expect((await loadTask(folder)).warnings).toEqual([
      "flavour is not a key of Harbor's tasks: it does nothing.",
      "[environment].memory is deprecated: write memory_mb.",
      '[environment].storage is not a text like "2G", so it does nothing: write storage_mb.',
      "[environment].allow_internet is deprecated: write network_mode.",
      "[environment].ram is not a key of Harbor's tasks: it does nothing.",
    ]);
  });

  it.each([
    ["task.toml", "task.toml is missing"],
    ["instruction.md", "instruction.md is missing"],
    ["tests/test.sh", "tests/test.sh is missing: it is what gives the reward."],
    ["environment/Dockerfile", "task.toml: nothing says what the sandbox is."],
  ])("without %s is refused", async (path, expected) => {
    const folder = await makeTask("hello");
    await rm(join(folder, path));
    const said = await userMessage(loadTask(folder));
    expect(said).toContain(expected);
    expect(said).toContain(folder);
  });

  it("that is not there is refused", async () => {
    expect(await userMessage(loadTask("/nowhere/at/all"))).toBe(
      "There is no folder /nowhere/at/all.",
    );
  });
});

describe("links of a task", () => {
  it.each([
    ["tests/helper.py"],
    ["solution/solve.sh"],
    ["instruction.md"],
    ["task.toml"],
    ["environment/Dockerfile"],
    ["trajectory.json"],
  ])("may not lead out of it: %s", async (path) => {
    const folder = await makeTask("hello");
    await rm(join(folder, path), { force: true });
    await symlink("/etc/hostname", join(folder, path));
    expect(await userMessage(loadTask(folder))).toContain("leads out of the task");
  });

  it("may lead from the task to itself", async () => {
    const folder = await makeTask("hello");
    await rename(join(folder, "instruction.md"), join(folder, "prompt.md"));
    await symlink("prompt.md", join(folder, "instruction.md"));
    expect((await loadTask(folder)).steps[0]?.instruction).toContain("hello.txt");
  });

  it("may not go in circles", async () => {
    const folder = await makeTask("hello");
    await symlink("..", join(folder, "tests/all"));
    expect(await userMessage(loadTask(folder))).toContain("leads back to a folder that it is in");
  });

  it("may not be pipes", async () => {
    const folder = await makeTask("hello");
    execFileSync("mkfifo", [join(folder, "tests/pipe")]);
    expect(await userMessage(loadTask(folder))).toContain("only hold files and folders");
  });
});

describe("a task of several steps", () => {
  it("has an instruction, tests and a solution for each", async () => {
    const folder = join(TASKS, "stages");
    const task = await loadTask(folder);
    expect(task.name).toBe("stages");
    expect(task.steps).toMatchObject([
      {
        name: "first",
        instruction: "Write `one` into /app/one.\n",
        testFolders: [join(folder, "tests"), join(folder, "steps/first/tests")],
        verifierEnvironment: null,
        solutionFolder: join(folder, "steps/first/solution"),
        workdirFolder: join(folder, "steps/first/workdir"),
      },
      {
        name: "second step",
        testFolders: [join(folder, "tests"), join(folder, "steps/second step/tests")],
        verifierEnvironment: { folder: join(folder, "environment"), hasOwnTests: false },
        solutionFolder: join(folder, "solution"),
        workdirFolder: null,
      },
    ]);
  });

  it("without a step's folder is refused", async () => {
    const folder = await makeTask("stages");
    await rm(join(folder, "steps/first"), { recursive: true });
    expect(await userMessage(loadTask(folder))).toContain("steps/first/instruction.md is missing");
  });

  it("takes what went before for its first step alone", async () => {
    const folder = await makeTask("stages", {
      "steps/first/trajectory.json": "{}",
      "steps/second step/trajectory.json": "{}",
    });
    expect((await loadTask(folder)).steps.map(({ trajectoryFile }) => trajectoryFile)).toEqual([
      join(folder, "steps/first/trajectory.json"),
      null,
    ]);
  });
});

it("a verifier's image that brings its own tests is given none", async () => {
  const { steps } = await loadTask(join(TASKS, "bundled"));
  expect(steps[0]).toMatchObject({
    testFolders: [],
    verifierEnvironment: {
      folder: join(TASKS, "bundled/tests"),
      hasOwnTests: true,
      config: { cpus: 2, docker_image: null, network_mode: "public" },
    },
  });
});

it.each(["environment/pipe", "pipe", "tests/deep/pipe"])("a pipe at %s is refused", async (at) => {
  const folder = await makeTask("hello");
  await mkdir(dirname(join(folder, at)), { recursive: true });
  execFileSync("mkfifo", [join(folder, at)]);
  expect(await userMessage(loadTask(folder))).toContain(`${at}: a task may only hold files`);
});

describe("the digest of a task", () => {
  it("is Harbor's", async () => {
    // As Harbor 0.24 gives it for this task.
    expect(await digestTask(join(TASKS, "stages"))).toBe(
      "8d3c617a31591e376a594e424538b8e50699f81171812d407a900b7cc2eda21c",
    );
  });

  it("counts names and contents, not empty folders", async () => {
    const folder = await makeTask("hello");
    const before = await digestTask(folder);
    await mkdir(join(folder, "empty/deeper"), { recursive: true });
    expect(await digestTask(folder)).toBe(before);
    await writeFile(join(folder, "tests/more"), "");
    expect(await digestTask(folder)).not.toBe(before);
  });

  it("reads nothing outside and ends where links go in circles", async () => {
    const folder = await makeFolder("digest");
    await writeFiles(folder, { "task/a": "a", secret: "one" });
    const task = join(folder, "task");
    await symlink("../secret", join(task, "out"));
    await symlink("nowhere", join(task, "dangling"));
    await symlink(".", join(task, "round"));
    const before = await digestTask(task);
    await writeFile(join(folder, "secret"), "two");
    expect(await digestTask(task)).toBe(before);
  });
});
