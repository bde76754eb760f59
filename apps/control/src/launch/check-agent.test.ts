import { AppError } from "@liverl/contract/app-error";
import { expect, test } from "vitest";
import type { RunnerClient } from "#data-plane/runner-client.ts";
import { checkAgent } from "#launch/check-agent.ts";
import { verlSpec } from "#testing/factories.ts";

const none = { train: [], val: [] };
const specOf = (agent: string, harborDir: string | null = "/tasks") => {
  const bare = verlSpec("/v");
  return {
    ...bare,
    data: { ...bare.data, train_harbor_dir: harborDir },
    rollout: { ...bare.rollout, agent },
  };
};
/** Stands in for the trial runner: its answer alone. */
const runnerThatSays = (answer: () => Promise<void>) => ({
  runner: { checkAgent: (_: string) => answer() } as Partial<RunnerClient> as RunnerClient,
});
const refuses = (code: "BAD_REQUEST" | "UNAVAILABLE", userMessage: string) =>
  runnerThatSays(() => Promise.reject(new AppError(code, { userMessage })));
const loads = runnerThatSays(async () => undefined);

test("an import path that names no agent fails the launch at its field, in the runner's words", async () => {
  const gone = refuses("BAD_REQUEST", "there is no module own: put its folder on PYTHONPATH");
  expect(await checkAgent(gone, specOf("own:Agent"), none)).toEqual({
    status: "fail",
    title: "The agent can not be loaded",
    why: "there is no module own: put its folder on PYTHONPATH",
    field: "rollout.agent",
  });
});

test("while Harbor is being installed nobody knows yet", async () => {
  const coming = refuses("UNAVAILABLE", "Harbor is being installed: ask again.");
  expect(await checkAgent(coming, specOf("terminus-2"), none)).toMatchObject({ status: "warn" });
});

test("one that loads passes, by name or by import path", async () => {
  for (const agent of ["terminus-2", "own.agents:Agent"])
    expect(await checkAgent(loads, specOf(agent), none)).toMatchObject({
      status: "pass",
      why: expect.stringContaining(agent),
    });
});

test("other agents, and runs whose tasks need none, are not asked about", async () => {
  expect(await checkAgent(loads, specOf("codex"), none)).toBeNull();
  const data = { harbor_root: null, task_path_template: null, val_harbor_dir: null };
  const { data: given, ...spec } = specOf("own:Agent", null);
  expect(await checkAgent(loads, { ...spec, data: { ...given, ...data } }, none)).toBeNull();
});
