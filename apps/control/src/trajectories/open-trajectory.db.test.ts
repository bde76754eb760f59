import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ProxyTrajectory, TRAJECTORY_FORMAT } from "@liverl/contract/trajectory";
import { OpenedTrajectory, OpenTrajectory } from "@liverl/contract/views";
import { afterAll, beforeAll, expect, test } from "vitest";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { openTrajectory } from "#trajectories/open-trajectory.ts";

const runId = "opened";
const rolloutId = `${runId}.s1.g0.r0`;
const directory = `harbor_trials/tests/${runId}/step_1/${rolloutId}-a1`;
const TURNS = 5;

/** A question, then answers of the model and of a tool in turn; node n has n + 1 tokens. */
const trajectory = ProxyTrajectory.parse({
  ...{ format: TRAJECTORY_FORMAT, sessionId: `${rolloutId}-a1`, rolloutId, attempt: 1, runId },
  ...{ taskId: "t", groupId: "g", step: 1, mode: "train", reward: { reward: 1 }, calls: [] },
  model: { name: "m", family: "f", tokenizerSha256: "", chatTemplateSha256: "" },
  termination: "agent-finished",
  nodes: Array.from({ length: 2 * TURNS }, (_, id) => {
    const parentId = id === 0 ? null : id - 1;
    const tokenIds = Array.from({ length: id + 1 }, (_, at) => at);
    const role = id === 0 ? "user" : "tool";
    return id % 2 === 0
      ? {
          ...{ id, parentId, kind: "given", role, tokenIds, reason: null, linkedFrom: null },
          message: { role, content: `given ${id}` },
        }
      : {
          ...{ id, parentId, kind: "sampled", role: "assistant", callId: id, tokenIds },
          ...{ message: { role: "assistant" }, logprobs: tokenIds.map(() => -1) },
          ...{ policyVersions: tokenIds.map(() => 1), versionSpan: [1, 1] },
        };
  }),
  segments: [
    {
      ...{ id: 0, path: Array.from({ length: 2 * TURNS }, (_, id) => id), trainedNodes: [1] },
      ...{ parentSegmentId: null, trainedTokens: 2, trainable: true, reason: null },
    },
  ],
});

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
  const { db, config } = control.ctx;
  await db.run.create({
    data: {
      ...{ id: runId, project: "tests", name: runId, driver: "embedded", status: "running" },
      ...{ spec: launchSpec(), color: 1 },
    },
  });
  const change = trialChange({ runId, step: 1, group: 0, index: 0, cursor: 1, reward: 1 });
  await indexTrials(control.ctx, { changes: [{ ...change, directory }], cursor: 1 });
  await mkdir(join(config.dataDir, directory), { recursive: true });
  await writeFile(
    join(config.dataDir, directory, "proxy_trajectory.json"),
    JSON.stringify(trajectory),
  );
});
afterAll(() => control.close());

const open = async (input: Partial<OpenTrajectory> = {}) =>
  OpenedTrajectory.parse(
    await openTrajectory(control.ctx, OpenTrajectory.parse({ rolloutId, ...input })),
  );

test("a rollout comes with its first turns, given ones as text and sampled ones as tokens", async () => {
  const { view, turns } = await open();
  expect(view.turns).toHaveLength(2 * TURNS);
  expect(turns.map(({ nodeId, text, tokens }) => [nodeId, text, tokens.ids.length])).toEqual([
    [0, "given 0", 0],
    [1, "", 2],
    [2, "given 2", 0],
    [3, "", 4],
  ]);
});

test("it comes with those from a turn on, at most so much of each", async () => {
  const { turns } = await open({ at: 7, given: "tokens", most: { tokens: 3, text: 2 } });
  expect(turns.map(({ nodeId, tokens, isEnd }) => [nodeId, tokens.ids.length, isEnd])).toEqual([
    [7, 3, false],
    [8, 3, false],
    [9, 3, false],
  ]);
});

test("a turn that is not there leads to the first ones", async () => {
  const { turns } = await open({ at: 99 });
  expect(turns.map(({ nodeId }) => nodeId)).toEqual([0, 1, 2, 3]);
});

test("a rollout that was never recorded comes without turns", async () => {
  const change = trialChange({ runId, step: 1, group: 0, index: 1, cursor: 2, reward: 0 });
  await indexTrials(control.ctx, { changes: [change], cursor: 2 });
  const { view, turns } = await open({ rolloutId: change.rolloutId });
  expect([view.turns, turns]).toEqual([[], []]);
});
