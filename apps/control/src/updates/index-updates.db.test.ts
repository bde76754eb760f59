import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { EmbeddedSpec } from "@liverl/contract/launch";
import { COMPUTED_KEYS } from "@liverl/contract/metric";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { getGroup } from "#groups/get-group.ts";
import { readSeries } from "#metrics/read-series.ts";
import { completeEndedRun } from "#rollouts/compute-group-series.ts";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { listRollouts } from "#rollouts/list-rollouts.ts";
import { ListRollouts } from "#rollouts/list-rollouts.types.ts";
import { readDistribution } from "#rollouts/read-distribution.ts";
import { getStep } from "#steps/get-step.ts";
import { readRunTasks } from "#tasks/read-tasks.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { until } from "#testing/until.ts";
import { completeUpdates } from "#updates/complete-updates.ts";
import { indexUpdates } from "#updates/index-updates.ts";

let control: TestControl;
let cursor = 0;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

const base = launchSpec();
/** A step takes two groups of two in one update. */
const spec = (mode: EmbeddedSpec["algorithm"]["trainer_mode"]): EmbeddedSpec => ({
  ...base,
  algorithm: { ...base.algorithm, trainer_mode: mode },
  async: { ...base.async, trigger_parameter_sync_step: 1 },
  batch: { train_batch_size: 2, n: 2 },
});

async function begin(runId: string, mode: "sync" | "fully_async" = "fully_async") {
  await control.ctx.db.run.create({
    data: {
      ...{ id: runId, project: "tests", name: runId, driver: "embedded", status: "running" },
      ...{ spec: spec(mode), color: 1, attempt: 1 },
    },
  });
}

/** The two rollouts of a group with these rewards, as the feed tells of them. */
const group = (runId: string, name: string, asked: number, rewards: [number, number]) =>
  rewards.map((reward, index) =>
    trialChange({
      ...{ runId, step: asked, group: 0, index, reward, cursor: ++cursor },
      ...{ groupId: `${runId}.${name}`, rolloutId: `${runId}.${name}.r${index}`, taskName: name },
      versionSpan: [asked - 1, asked - 1],
    }),
  );
const index = (...changes: ReturnType<typeof group>) =>
  indexTrials(control.ctx, { changes: changes.flat(), cursor });

async function record(runId: string, attempt: number, step: number, ...names: string[]) {
  const path = runFiles(control.ctx.config.dataDir, runId).updates(attempt);
  await mkdir(dirname(path), { recursive: true });
  const groups = names.map((name) => [0, 1].map((at) => `${runId}.${name}.r${at}`));
  const line = { attempt, step, update: 0, version: step - 1, isSynced: true, groups };
  await appendFile(path, `${JSON.stringify(line)}\n`);
}

const pageOf = async (runId: string, step: number) => {
  const view = await getStep(control.ctx, { runId, step, mode: "train" });
  const reward = view.headlines.find(({ id }) => id === "reward")?.value;
  return { reward, groups: view.groups.map((one) => one.taskName).sort(), asked: view.askedOnly };
};
const idsOf = async (runId: string, f: string) => {
  const { rollouts } = await listRollouts(control.ctx, ListRollouts.parse({ runId, f }));
  return rollouts.map(({ taskName, index: at }) => `${taskName}${at}`).sort();
};
const seriesOf = async (runId: string, key: string) => {
  const { series } = await readSeries(control.ctx.pool, { runId, keys: [key], buckets: 10 });
  return Object.fromEntries((series[0]?.step ?? []).map((at, i) => [at, series[0]?.value[i]]));
};
const hasSeries = (runId: string, key: string, wanted: Record<number, number>) =>
  until(async () => JSON.stringify(await seriesOf(runId, key)) === JSON.stringify(wanted), 10_000);

test("a step is what its updates took, whichever of the trainer and the runner is heard first", async () => {
  await begin("ahead");
  const [a, b, c, d] = (["a", "b", "c", "d"] as const).map((name, at) =>
    group("ahead", name, 1, at < 2 ? [1, 1] : [0, 1]),
  );
  // All are asked for in step 1; the first update takes c and a. Of c, the runner tells later.
  await index(...(a ?? []), ...(b ?? []));
  expect(await idsOf("ahead", "step = none")).toEqual(["a0", "a1", "b0", "b1"]);
  await record("ahead", 1, 1, "c", "a");
  await indexUpdates(control.ctx, "ahead");
  expect(await seriesOf("ahead", COMPUTED_KEYS.rewardMean)).toEqual({});
  await index(...(c ?? []), ...(d ?? []));
  await hasSeries("ahead", COMPUTED_KEYS.rewardMean, { 1: 0.75 });
  expect(await pageOf("ahead", 1)).toEqual({
    ...{ reward: 0.75, groups: ["a", "c"] },
    asked: { elsewhere: 0, nowhere: 4 },
  });
  await record("ahead", 1, 2, "b", "d");
  await indexUpdates(control.ctx, "ahead");
  await hasSeries("ahead", COMPUTED_KEYS.rewardMean, { 1: 0.75, 2: 0.75 });
  await hasSeries("ahead", COMPUTED_KEYS.zeroStd, { 1: 0.5, 2: 0.5 });
  expect((await pageOf("ahead", 2)).groups).toEqual(["b", "d"]);
  expect((await pageOf("ahead", 1)).asked).toEqual({ elsewhere: 4, nowhere: 0 });
  expect(await idsOf("ahead", "asked = 1 and step != 1")).toEqual(["b0", "b1", "d0", "d1"]);
  const found = await getGroup(control.ctx, { runId: "ahead", groupId: "ahead.b" });
  expect(found).toMatchObject({ step: 2, askedStep: 1, previous: null, next: "ahead.d" });
  const { rows } = await readRunTasks(control.ctx, { runId: "ahead", mode: "train" });
  expect(Object.fromEntries(rows.map(({ task, cells }) => [task, cells.step]))).toEqual({
    ...{ a: [1], b: [2], c: [1], d: [2] },
  });
  const spread = await readDistribution(control.ctx, {
    ...{ runId: "ahead", quantity: "reward", buckets: 10, range: [1, 2] },
  });
  expect([spread.step, spread.n]).toEqual([
    [1, 2],
    [4, 4],
  ]);
  // The runner tells again, as of a note of its own: what trained stays.
  await index(...(b ?? []));
  expect((await pageOf("ahead", 2)).groups).toEqual(["b", "d"]);
});

test("what an earlier life trained is of no step once a later one trained it anew", async () => {
  await begin("crashed");
  const names = ["a", "b", "c", "d", "e", "f"];
  await index(
    ...names.flatMap((name, at) => group("crashed", name, at < 2 ? 1 : 2, [0, at % 2 ? 1 : 0])),
  );
  await record("crashed", 1, 1, "a", "b");
  await record("crashed", 1, 2, "c", "d");
  await indexUpdates(control.ctx, "crashed");
  await hasSeries("crashed", COMPUTED_KEYS.rewardMean, { 1: 0.25, 2: 0.25 });
  await index(...group("crashed", "g", 2, [1, 1]), ...group("crashed", "h", 2, [1, 1]));
  await record("crashed", 2, 2, "g", "h");
  await indexUpdates(control.ctx, "crashed");
  await hasSeries("crashed", COMPUTED_KEYS.rewardMean, { 1: 0.25, 2: 1 });
  expect((await pageOf("crashed", 1)).groups).toEqual(["a", "b"]);
  expect(await pageOf("crashed", 2)).toEqual({
    ...{ reward: 1, groups: ["g", "h"] },
    asked: { elsewhere: 0, nowhere: 8 },
  });
});

test("a run that ended leaves no step waiting for rollouts", async () => {
  await begin("ended");
  // Stopped within a step: one group of two.
  await index(...group("ended", "a", 1, [1, 0]));
  await record("ended", 1, 1, "a");
  await indexUpdates(control.ctx, "ended");
  expect(await seriesOf("ended", COMPUTED_KEYS.rewardMean)).toEqual({});
  await control.ctx.db.run.update({ where: { id: "ended" }, data: { status: "succeeded" } });
  await completeEndedRun(control.ctx, "ended");
  await hasSeries("ended", COMPUTED_KEYS.rewardMean, { 1: 0.5 });
});

test("a run that was indexed before its updates were is set right at the next start", async () => {
  await begin("older");
  await index(...group("older", "a", 1, [1, 1]), ...group("older", "b", 1, [0, 0]));
  await index(...group("older", "c", 2, [1, 0]));
  await control.ctx.pool.query("UPDATE rollout SET step = asked_step WHERE run_id = 'older'");
  await record("older", 1, 1, "a", "c");
  await completeUpdates(control.ctx);
  expect(await pageOf("older", 1)).toMatchObject({ reward: 0.75, groups: ["a", "c"] });
  expect(await idsOf("older", "step = none")).toEqual(["b0", "b1"]);
});

test("a trainer that takes turns with the engines trains what a step asked for", async () => {
  await begin("turns", "sync");
  await index(...group("turns", "a", 1, [1, 1]));
  expect(await pageOf("turns", 1)).toMatchObject({ reward: 1, groups: ["a"] });
  await record("turns", 1, 1, "a");
  await indexUpdates(control.ctx, "turns");
  await record("turns", 2, 1, "a");
  await indexUpdates(control.ctx, "turns");
  expect(await pageOf("turns", 1)).toEqual({
    ...{ reward: 1, groups: ["a"] },
    asked: { elsewhere: 0, nowhere: 0 },
  });
});
