import { appendFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { EmbeddedSpec } from "@liverl/contract/launch";
import type { TrialChange } from "@liverl/contract/rollout";
import { encodeTrainedTokens, trainedName } from "@liverl/contract/trained-tokens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { getGroup } from "#groups/get-group.ts";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { listRollouts } from "#rollouts/list-rollouts.ts";
import { ListRollouts } from "#rollouts/list-rollouts.types.ts";
import { getStep } from "#steps/get-step.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { getTrajectory } from "#trajectories/get-trajectory.ts";
import { indexUpdates } from "#updates/index-updates.ts";

let control: TestControl;
let cursor = 0;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

const base = launchSpec();
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

/** A fully-async run whose trainer's lives began at these seconds. */
async function begin(
  runId: string,
  lives: number[],
  estimator: EmbeddedSpec["algorithm"]["adv_estimator"] = "grpo",
) {
  const spec: EmbeddedSpec = {
    ...base,
    algorithm: { ...base.algorithm, trainer_mode: "fully_async", adv_estimator: estimator },
    async: { ...base.async, trigger_parameter_sync_step: 1 },
    batch: { train_batch_size: 1, n: 3 },
    trajectory_filter: { enable: true, drop_reasons: ["max_turns"] },
  };
  await control.ctx.db.run.create({
    data: {
      ...{ id: runId, project: "tests", name: runId, driver: "embedded", status: "running" },
      ...{ spec, color: 1, attempt: lives.length },
    },
  });
  await control.ctx.db.bootPhase.createMany({
    data: lives.map((second, life) => ({
      ...{ runId, attempt: life + 1, phase: "preflight", state: "done", startedAt: at(second) },
    })),
  });
}

/** A group of three, queued at a second; `change` by its index. */
const index = (
  runId: string,
  name: string,
  { asked, second, rewards }: { asked: number; second: number; rewards: (number | null)[] },
  change: Record<number, Partial<Pick<TrialChange, "status" | "termination">>> = {},
) =>
  indexTrials(control.ctx, {
    changes: rewards.map((reward, place) =>
      trialChange({
        ...{ runId, step: asked, group: 0, index: place, reward, cursor: ++cursor },
        ...{ groupId: `${runId}.${name}`, rolloutId: `${runId}.${name}.r${place}` },
        ...{ versionSpan: [asked - 1, asked - 1], queuedAt: at(second).toISOString() },
        sessionId: `${name}${place}`,
        ...change[place],
      }),
    ),
    cursor,
  });

async function record(runId: string, attempt: number, step: number, name: string, n = 3) {
  const path = runFiles(control.ctx.config.dataDir, runId).updates(attempt);
  await mkdir(dirname(path), { recursive: true });
  const groups = [Array.from({ length: n }, (_, place) => `${runId}.${name}.r${place}`)];
  const line = { attempt, step, update: 0, version: step - 1, isSynced: true, groups };
  await appendFile(path, `${JSON.stringify(line)}\n`);
  await indexUpdates(control.ctx, runId);
}

const rowsOf = async (runId: string, f: string) =>
  (await listRollouts(control.ctx, ListRollouts.parse({ runId, f }))).rollouts.sort((a, b) =>
    a.rolloutId.localeCompare(b.rolloutId),
  );
const statesOf = async (runId: string, name: string) =>
  (await rowsOf(runId, `group = "${runId}.${name}"`)).map(({ training }) => training);

test("every rollout of a crashed run says what became of it, and a step is of one life", async () => {
  await begin("lives", [0, 50]);
  // Steps 1 and 2 of the first life; the second goes on from step 1's checkpoint.
  await index(
    "lives",
    "a",
    { asked: 1, second: 1, rewards: [1, 0, 0] },
    {
      2: { termination: "max-turns" },
    },
  );
  await index(
    "lives",
    "b",
    { asked: 1, second: 2, rewards: [1, 0, null] },
    {
      2: { status: "failed", termination: "infra-error" },
    },
  );
  await index("lives", "c", { asked: 2, second: 40, rewards: [1, 0, 1] });
  await record("lives", 1, 1, "a");
  await record("lives", 1, 2, "b");
  await index("lives", "d", { asked: 2, second: 60, rewards: [1, 1, 1] });
  await index("lives", "e", { asked: 2, second: 61, rewards: [0, 0, 1] });
  await record("lives", 2, 2, "d");
  await index("lives", "f", { asked: 3, second: 70, rewards: [1, 0, 0] });
  const of = (state: string, step: number | null = null, reason: string | null = null) => ({
    ...{ state, step, reason },
  });
  expect(await statesOf("lives", "a")).toEqual([
    ...[of("trained", 1), of("trained", 1), of("filtered", null, "max_turns")],
  ]);
  expect(await statesOf("lives", "b")).toEqual([
    ...[of("lost", 2), of("lost", 2), of("no-reward")],
  ]);
  expect(await statesOf("lives", "c")).toEqual(Array(3).fill(of("lost")));
  expect(await statesOf("lives", "d")).toEqual(Array(3).fill(of("no-advantage", 2)));
  expect(await statesOf("lives", "f")).toEqual(Array(3).fill(of("waiting")));
  const second = await getStep(control.ctx, { runId: "lives", step: 2, mode: "train" });
  expect(second.groups.map(({ groupId }) => groupId)).toEqual(["lives.d"]);
  // Versions run on, and e's turn never comes.
  for (const [step, name] of [
    [3, "g"],
    [4, "h"],
  ] as const) {
    await index("lives", name, { asked: step, second: 70 + step, rewards: [1, 0, 0] });
    await record("lives", 2, step, name);
  }
  expect(await statesOf("lives", "e")).toEqual(Array(3).fill(of("stale")));
  await control.ctx.db.run.update({ where: { id: "lives" }, data: { status: "succeeded" } });
  expect(await statesOf("lives", "f")).toEqual(Array(3).fill(of("left")));
  const told = await getTrajectory(control.ctx, { rolloutId: "lives.a.r2" });
  expect(told.trained).toMatchObject({
    why: expect.stringContaining("max_turns"),
    isPending: false,
  });
  expect(told.advantage).toEqual({ value: null, why: expect.stringContaining("filtered out") });
});

test("an advantage is by the rewards that the filter keeps", async () => {
  await begin("kept", [0]);
  await index(
    "kept",
    "a",
    { asked: 1, second: 1, rewards: [1, 0, 0] },
    {
      2: { termination: "max-turns" },
    },
  );
  await record("kept", 1, 1, "a");
  const expected = [Math.SQRT1_2, -Math.SQRT1_2, null];
  const close = (rows: readonly { advantage: number | null }[]) =>
    rows.map(({ advantage }) => advantage && Math.round(advantage * 1e4) / 1e4);
  const rounded = expected.map((one) => one && Math.round(one * 1e4) / 1e4);
  expect(close(await rowsOf("kept", ""))).toEqual(rounded);
  const { groups } = await getStep(control.ctx, { runId: "kept", step: 1, mode: "train" });
  expect(close(groups[0]?.rollouts ?? [])).toEqual(rounded);
  const { advantage } = await getTrajectory(control.ctx, { rolloutId: "kept.a.r0" });
  expect(advantage.value).toBeCloseTo(Math.SQRT1_2, 4);
});

test("a critic's advantages are those that were recorded, and equal rewards are no flat group", async () => {
  await begin("critic", [0], "gae");
  await index("critic", "a", { asked: 1, second: 1, rewards: [1, 1, 1] });
  await record("critic", 1, 1, "a");
  const rows = 4;
  const floats = (...values: number[]) => Float32Array.from(values);
  const folder = runFiles(control.ctx.config.dataDir, "critic").trainedTokens;
  await mkdir(folder, { recursive: true });
  await appendFile(
    join(folder, trainedName({ step: 1, update: 0 })),
    encodeTrainedTokens(
      {
        ...{ format: "liverl-trained-tokens/1", runId: "critic", attempt: 1, step: 1, update: 0 },
        ...{ version: 0, isSynced: true, epochs: 1, temperature: 1 },
        ...{ ratioOf: "token", ratioTo: "rollout", clip: { low: 0.2, high: 0.2 } },
        segments: [
          {
            rolloutId: "critic.a.r0",
            sessionId: "a0",
            segmentId: 0,
            rows: [0, 3],
            outOfLoss: null,
          },
          {
            rolloutId: "critic.a.r1",
            sessionId: "a1",
            segmentId: 0,
            rows: [3, 4],
            outOfLoss: null,
          },
        ],
      },
      {
        position: Int32Array.from([1, 2, 3, 1]),
        trainer_log_prob: floats(-1, -1, -1, -1),
        entropy: floats(0, 0, 0, 0),
        advantage: floats(0.25, 0.5, 0.75, -0.5),
        ratio: floats(1, 1, 1, 1),
        value: floats(0, 0, 0, 0),
        clipped: new Uint8Array(rows),
      },
    ),
  );
  const found = await getGroup(control.ctx, { runId: "critic", groupId: "critic.a" });
  expect(found.advantages).toEqual({
    "critic.a.r0": { min: 0.25, mean: 0.5, max: 0.75 },
    "critic.a.r1": { min: -0.5, mean: -0.5, max: -0.5 },
  });
  expect(found.group).toMatchObject({ std: 0, isFlat: false });
  expect(
    found.group.rollouts.map(({ advantage, training }) => [advantage, training.state]),
  ).toEqual(Array(3).fill([null, "trained"]));
  const view = await getStep(control.ctx, { runId: "critic", step: 1, mode: "train" });
  const zero = view.headlines.find(({ id }) => id === "zero-std");
  expect([zero?.value, zero?.hint]).toEqual([1, "1 of 1: equal rewards"]);
  expect((await rowsOf("critic", "")).map(({ advantage }) => advantage)).toEqual([
    null,
    null,
    null,
  ]);
});
