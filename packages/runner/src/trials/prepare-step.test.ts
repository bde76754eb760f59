import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ExecCommand, Sandbox } from "#sandboxes/sandbox.ts";
import { loadTask } from "#tasks/load-task.ts";
import { type PlannedStep, planTask } from "#tasks/plan-task.ts";
import { TASKS } from "#testing/make-task.ts";
import { clearStep, setUpStep } from "#trials/prepare-step.ts";

let folder: string;
let step: PlannedStep;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-step-"));
  const [first] = planTask(await loadTask(join(TASKS, "stages"))).steps;
  if (!first) throw new Error("the task has a step");
  step = { ...first, workdirFolder: folder };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Stands in for a sandbox: notes what it is asked for. `e2e/reality/docker` has the real one. */
function sandboxStandIn({
  stays = [],
  exits = 0,
}: {
  stays?: string[];
  exits?: number | null;
} = {}) {
  const asked: string[] = [];
  const users: ExecCommand["user"][] = [];
  const sandbox: Partial<Sandbox> = {
    exec: async ({ argv, user }) => {
      asked.push(argv.join(" "));
      users.push(user);
      if (argv[0] === "pwd") return { exitCode: 0, output: "/app\n", durationMs: 1 };
      return { exitCode: argv[0] === "bash" ? exits : 0, output: "said", durationMs: 1 };
    },
    upload: async (from, to) => {
      asked.push(`upload ${from.slice(folder.length)} ${to}`);
    },
    endProcesses: async () => {
      asked.push("end");
      return { ranOutOfMemory: false };
    },
    has: async (path) => stays.includes(path),
    makeFolders: async (paths) => {
      asked.push(`make ${paths.join(" ")}`);
    },
  };
  return { asked, users, sandbox: sandbox as Sandbox };
}
const { signal } = new AbortController();

it("ends and removes what the step before has left, in this order", async () => {
  const { asked, sandbox } = sandboxStandIn();
  await clearStep(sandbox, signal);
  expect(asked).toEqual([
    "end",
    "/bin/rm -rf /tests /solution /logs/verifier /logs/agent /logs/artifacts",
    "make /logs/verifier /logs/agent /logs/artifacts",
  ]);
});

it("does not go on where tests of the step before stay", async () => {
  const { asked, sandbox } = sandboxStandIn({ stays: ["/tests"] });
  await expect(clearStep(sandbox, signal)).rejects.toMatchObject({
    exceptionType: "VerifierTamperedError",
  });
  expect(asked.at(-1)).toMatch(/^\/bin\/rm /);
});

it("brings a step's files into the working directory and runs its set-up and healthcheck as its agent", async () => {
  await mkdir(join(folder, "data"));
  await writeFile(join(folder, "setup.sh"), "true\n");
  const { asked, users, sandbox } = sandboxStandIn();
  await setUpStep(sandbox, step, { timeoutS: 10, signal });
  expect(asked).toEqual([
    "pwd",
    "upload /data /app/data",
    "upload /setup.sh /app/setup.sh",
    "bash /app/setup.sh",
    "sh -c true",
  ]);
  expect(new Set(users)).toEqual(new Set(["agent"]));
});

it.each([
  [3, "exited with 3. said"],
  [null, "was killed after 10 seconds. said"],
])("tells of a set-up that ends with %s", async (exits, why) => {
  await writeFile(join(folder, "setup.sh"), "false\n");
  const { sandbox } = sandboxStandIn({ exits });
  await expect(setUpStep(sandbox, step, { timeoutS: 10, signal })).rejects.toMatchObject({
    exceptionType: "StepSetupError",
    userMessage: `setup.sh of step first ${why}`,
  });
});

it("needs neither files nor a set-up", async () => {
  const { asked, sandbox } = sandboxStandIn();
  const bare = { ...step, workdirFolder: null, healthcheck: null };
  await setUpStep(sandbox, bare, { timeoutS: null, signal });
  expect(asked).toEqual([]);
});
