import { expect, test } from "vitest";
import type { RunnerClient } from "#data-plane/runner-client.ts";
import { checkSandboxes, needsSandboxes } from "#launch/check-sandboxes.ts";
import { verlSpec } from "#testing/factories.ts";

const bare = verlSpec("/v");
const none = { train: [], val: [] };
const withData = (data: Partial<typeof bare.data>) => ({
  ...bare,
  data: { ...bare.data, ...data },
});
const harbor = withData({ train_harbor_dir: "/tasks" });
/** Stands in for the trial runner: its answer alone. */
const runnerThatSays = (
  answer: () => Promise<{ name: string; fault: string | null; cpus: number | null }>,
) => ({
  runner: { sandboxHost: answer } as RunnerClient,
});

test.each([
  [
    withData({
      train_harbor_dir: null,
      val_harbor_dir: null,
      harbor_root: null,
      task_path_template: null,
    }),
    false,
  ],
  [harbor, true],
  [withData({ harbor_root: "/tasks" }), true],
  [withData({ task_path_template: "/t/{instance_id}" }), true],
])("tasks that need a sandbox are known by %#", (spec, needs) => {
  expect(needsSandboxes(spec, none)).toBe(needs);
});

test("a daemon that is away fails the launch, in its own words", async () => {
  const away = runnerThatSays(async () => ({
    name: "Docker",
    fault: "No Docker daemon answers.",
    cpus: null,
  }));
  expect(await checkSandboxes(away, harbor, none)).toMatchObject({
    status: "fail",
    why: "No Docker daemon answers.",
  });
  const there = runnerThatSays(async () => ({ name: "Docker at x", fault: null, cpus: 8 }));
  expect(await checkSandboxes(there, harbor, none)).toMatchObject({
    status: "pass",
    why: "Docker at x answers, 8 cores.",
  });
  const gone = runnerThatSays(() => Promise.reject(new Error("away")));
  expect(await checkSandboxes(gone, harbor, none)).toBeNull();
});
