import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  encodeTrainedTokens,
  TRAINED_TOKENS_FORMAT,
  type TrainedColumns,
  type TrainedUpdate,
} from "@liverl/contract/trained-tokens";
import { ProxyTrajectory, TRAJECTORY_FORMAT } from "@liverl/contract/trajectory";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { cleanRun } from "#runs/clean-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { getTrajectory } from "#trajectories/get-trajectory.ts";
import { getTrained } from "#trajectories/trained/view-trained.ts";

const runId = "recorded";
const directoryOf = (rolloutId: string) => `harbor_trials/tests/${runId}/step_2/${rolloutId}-a1`;
const changeOf = (index: number, change = {}) =>
  trialChange({
    ...{ runId, step: 2, group: 0, index, cursor: index + 1, reward: index },
    directory: directoryOf(`${runId}.s2.g0.r${index}`),
    ...change,
  });
const changes = [changeOf(0), changeOf(1), changeOf(2, { mode: "eval" })];
const [first, second, evaluated] = changes.map(({ rolloutId }) => rolloutId) as [
  string,
  string,
  string,
];

const common = { parentId: null, reason: null, linkedFrom: null };
/** Six tokens: three given, two sampled, one given. */
const trajectoryOf = (rolloutId: string): ProxyTrajectory =>
  ProxyTrajectory.parse({
    ...{ format: TRAJECTORY_FORMAT, sessionId: `${rolloutId}-a1`, rolloutId, attempt: 1, runId },
    ...{ taskId: "t", groupId: "g", step: 2, mode: "train", reward: { reward: 1 }, calls: [] },
    model: { name: "m", family: "f", tokenizerSha256: "", chatTemplateSha256: "" },
    termination: "agent-finished",
    nodes: [
      {
        ...common,
        id: 0,
        kind: "given",
        role: "user",
        message: { role: "user" },
        tokenIds: [1, 2, 3],
      },
      {
        ...{ id: 1, parentId: 0, kind: "sampled", role: "assistant", callId: 0 },
        ...{ message: { role: "assistant" }, tokenIds: [4, 5], logprobs: [-1, -0.5] },
        ...{ policyVersions: [1, 1], versionSpan: [1, 1] },
      },
      {
        ...common,
        id: 2,
        parentId: 1,
        kind: "given",
        role: "tool",
        message: { role: "tool" },
        tokenIds: [6],
      },
    ],
    segments: [
      {
        ...{ id: 0, path: [0, 1, 2], trainedNodes: [1], parentSegmentId: null, trainedTokens: 2 },
        ...{ trainable: true, reason: null },
      },
    ],
  });

const segmentOf = (
  rolloutId: string,
  rows: [number, number],
  outOfLoss: null | "no-advantage",
) => ({
  ...{ rolloutId, sessionId: `${rolloutId}-a1`, segmentId: 0, rows, outOfLoss },
});
const update: TrainedUpdate = {
  ...{ format: TRAINED_TOKENS_FORMAT, runId, attempt: 1, step: 3, update: 1, version: 2 },
  ...{ isSynced: false, epochs: 2, temperature: 1, ratioOf: "token", ratioTo: "rollout" },
  clip: { low: 0.2, high: 0.28 },
  segments: [segmentOf(second, [0, 2], "no-advantage"), segmentOf(first, [2, 4], null)],
};
const columns: TrainedColumns = {
  position: Int32Array.of(3, 4, 3, 4),
  trainer_log_prob: Float32Array.of(-1, -0.5, -1.25, -0.5),
  entropy: Float32Array.of(0, 0, 0.75, Number.NaN),
  advantage: Float32Array.of(0, 0, -0.5, 1.5),
  ratio: Float32Array.of(Number.NaN, Number.NaN, 0.75, Number.POSITIVE_INFINITY),
  value: Float32Array.of(0, 0, 0.25, 0.5),
  clipped: Uint8Array.of(0, 0, 1, 0),
};

let control: TestControl;
let folder: string;
beforeAll(async () => {
  control = await buildTestContext();
  const { db, config } = control.ctx;
  folder = runFiles(config.dataDir, runId).trainedTokens;
  await db.run.create({
    data: {
      ...{ id: runId, project: "tests", name: runId, driver: "embedded", status: "running" },
      ...{ spec: launchSpec(), color: 1 },
    },
  });
  await indexTrials(control.ctx, { changes, cursor: 9 });
  for (const { rolloutId } of changes) {
    const path = join(config.dataDir, directoryOf(rolloutId));
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "proxy_trajectory.json"), JSON.stringify(trajectoryOf(rolloutId)));
  }
});
afterAll(() => control.close());
beforeEach(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, bytes: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), bytes);
}
const view = (rolloutId: string) => getTrajectory(control.ctx, { rolloutId });
const page = (rolloutId: string, from = 0, size = 9) =>
  getTrained(control.ctx, { rolloutId, from, size });
const setStatus = (status: string, driver = "embedded") =>
  control.ctx.db.run.update({ where: { id: runId }, data: { status, driver } });

test("an update's record is joined to the segment's tokens by position, whatever step took it", async () => {
  await write("step_3.1.safetensors", encodeTrainedTokens(update, columns));
  expect(await page(first)).toEqual({
    from: 0,
    trainerLogprobs: [null, null, null, -1.25, -0.5, null],
    entropies: [null, null, null, 0.75, "NaN", null],
    advantages: [null, null, null, -0.5, 1.5, null],
    ratios: [null, null, null, 0.75, "Infinity", null],
    clipped: [null, null, null, true, false, null],
    values: [null, null, null, 0.25, 0.5, null],
  });
  expect(await page(first, 4, 1)).toMatchObject({ from: 4, ratios: ["Infinity"], values: [0.5] });
  const { trained, advantage } = await view(first);
  expect(trained).toMatchObject({
    ...{ why: null, isPending: false, clipped: 1 },
    update: { step: 3, update: 1, epochs: 2, ratioTo: "rollout", outOfLoss: null },
  });
  const { entropy, ratio, mismatch } = trained.spreads ?? {};
  expect(entropy).toMatchObject({ count: 1, mean: 0.75, odd: 1 });
  expect(mismatch).toMatchObject({ count: 2, mean: 0.125, min: 0, max: 0.25 });
  // 0.75 is 1.25 clips below 1.
  expect([ratio?.bins[Math.floor(((-1.25 + 2) / 4) * 29)], ratio?.odd]).toEqual([1, 1]);
  expect(advantage.value).toBeNull();
  expect(advantage.why).toContain("-0.50 to 1.50, 0.50 in the mean");
});

test("a segment that is out of the loss has no ratio, and its one advantage is told", async () => {
  await write("step_3.1.safetensors", encodeTrainedTokens(update, columns));
  expect(await page(second)).toMatchObject({
    ratios: [null, null, null, null, null, null],
    entropies: [null, null, null, 0, 0, null],
  });
  const { trained, advantage } = await view(second);
  expect(trained).toMatchObject({ clipped: null, update: { outOfLoss: "no-advantage" } });
  expect(trained.spreads?.ratio).toBeNull();
  expect(advantage).toEqual({ value: 0, why: null });
});

test("a file that changes is read anew; one that is damaged, or of an earlier step, is left out", async () => {
  const bytes = encodeTrainedTokens(update, columns);
  await write("step_1.0.safetensors", bytes);
  await write("step_2.0.safetensors", bytes.slice(0, 100));
  await write("notes.txt", bytes);
  expect(await page(first)).toMatchObject({ ratios: [] });
  await write("step_3.1.safetensors", bytes);
  expect((await page(first)).entropies[3]).toBe(0.75);
  const later = { ...update, segments: update.segments.slice(0, 1) };
  await write("step_3.1.safetensors", encodeTrainedTokens(later, columns));
  expect(await page(first)).toMatchObject({ ratios: [] });
});

test("why nothing is known is said in words", async () => {
  const told = async (rolloutId: string) => {
    const { why, isPending } = (await view(rolloutId)).trained;
    return [why, isPending];
  };
  expect(await told(evaluated)).toEqual([expect.stringContaining("An evaluation"), false]);
  expect(await told(first)).toEqual([expect.stringContaining("yet"), true]);
  await write("step_2.0.safetensors", encodeTrainedTokens({ ...update, segments: [] }, columns));
  await setStatus("succeeded");
  expect(await told(first)).toEqual([expect.stringContaining("No update took"), false]);
  await rm(folder, { recursive: true });
  expect(await told(first)).toEqual([expect.stringContaining("no record"), false]);
  await setStatus("succeeded", "attached");
  expect(await told(first)).toEqual([expect.stringContaining("reports nothing"), false]);
  await setStatus("succeeded");
});

test("it goes with the trials of its run", async () => {
  await write("step_3.1.safetensors", encodeTrainedTokens(update, columns));
  const ctx = { ...control.ctx, runner: { ...control.ctx.runner, cancelRun: async () => {} } };
  await cleanRun(ctx, { id: runId, logs: true, trials: false });
  expect((await page(first)).entropies[3]).toBe(0.75);
  await cleanRun(ctx, { id: runId, logs: false, trials: true });
  expect((await view(first)).trained.why).toContain("deleted");
});
