import { COMPUTED_KEYS, UNTRAINED_PREFIX } from "@liverl/contract/metric";
import type { TrialChange } from "@liverl/contract/rollout";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSeries } from "#metrics/read-series.ts";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { sumUntrained } from "#rollouts/sum-untrained.ts";
import { insertRun } from "#runs/insert-run.ts";
import { getStep } from "#steps/get-step.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { until } from "#testing/until.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

let cursor = 0;
const runOf = async (name: string, change: Parameters<typeof launchSpec>[0] = {}) => {
  const spec = launchSpec({ batch: { train_batch_size: 1, n: 4 }, ...change });
  const run = { project: "tests", name, status: "running", driver: "embedded", spec };
  return await insertRun(control.ctx, {
    ...run,
    base: { kind: "preset", id: "quickstart", label: "Quickstart", spec },
  });
};
const rollout = (runId: string, step: number, index: number, change: Partial<TrialChange>) => {
  cursor += 1;
  return trialChange({ tokensSampled: 100, ...change, runId, step, group: 0, index, cursor });
};
const index = (...changes: TrialChange[]) => indexTrials(control.ctx, { changes, cursor });
const stepOf = (runId: string, step: number) =>
  getStep(control.ctx, { runId, step, mode: "train" });
const filter = { trajectory_filter: { enable: true, drop_reasons: ["timeout"] } };

test("tokens that did not train are summed by step and run, whole rollouts with them", async () => {
  const run = await runOf("untrained", filter);
  const { id } = run;
  await index(
    rollout(id, 1, 0, { untrained: { reasons: { subagent: 12, "side-request": 3 }, lossy: 7 } }),
    rollout(id, 1, 1, { untrained: { reasons: { subagent: 5 }, lossy: 0 } }),
    // Left out as a whole: its own reasons do not count a second time.
    rollout(id, 1, 2, {
      ...{ termination: "timeout", reward: 0 },
      untrained: { reasons: { subagent: 40 }, lossy: 0 },
    }),
    rollout(id, 1, 3, {
      ...{ status: "failed", reward: null, termination: "infra-error", tokensSampled: 50 },
      error: { exception_type: "SandboxLostError", exception_message: "", occurred_at: "" },
    }),
  );
  const reasons = [
    { reason: "filtered", tokens: 100 },
    { reason: "infra-error", tokens: 50 },
    { reason: "subagent", tokens: 17 },
    { reason: "side-request", tokens: 3 },
  ];
  const view = await stepOf(id, 1);
  expect(view.untrained).toEqual({ sampled: 350, reasons, lossy: 7 });
  expect(view.headlines.find(({ id }) => id === "untrained")).toMatchObject({
    value: 170 / 350,
    hint: "of sampled tokens: filtered 29 %, infra-error 14 %, subagent 4.9 %, side-request 0.9 %",
  });
  await index(
    ...[0, 1, 2, 3].map((at) => rollout(id, 2, at, {})),
    // Of no step, and of no training.
    rollout(id, 2, 4, { mode: "eval", untrained: { reasons: { subagent: 9 }, lossy: 0 } }),
  );
  expect(await sumUntrained(control.ctx, run)).toEqual({ sampled: 750, reasons, lossy: 7 });
  const keys = [COMPUTED_KEYS.untrained, `${UNTRAINED_PREFIX}subagent`];
  await until(async () => {
    const { series } = await readSeries(control.ctx.pool, { runId: id, keys, buckets: 10 });
    const seen = Object.fromEntries(series.map((one) => [one.key, [one.step, one.value]]));
    return (
      JSON.stringify(seen) ===
      JSON.stringify({
        [COMPUTED_KEYS.untrained]: [
          [1, 2],
          [170 / 350, 0],
        ],
        [`${UNTRAINED_PREFIX}subagent`]: [[1], [17 / 350]],
      })
    );
  }, 10_000);
});

test("a step whose tokens all trained has 0 and no headline", async () => {
  const { id } = await runOf("all-trained");
  await index(...[0, 1, 2, 3].map((at) => rollout(id, 1, at, {})));
  const view = await stepOf(id, 1);
  expect(view.untrained).toEqual({ sampled: 400, reasons: [], lossy: 0 });
  expect(view.headlines.some(({ id }) => id === "untrained")).toBe(false);
});

test("rollouts without counts are unknown, and are no part of a sum", async () => {
  const run = await runOf("older");
  const { id } = run;
  await index(...[0, 1, 2, 3].map((at) => rollout(id, 1, at, { untrained: null })));
  expect((await stepOf(id, 1)).untrained).toBeNull();
  expect(await sumUntrained(control.ctx, run)).toBeNull();
  await index(rollout(id, 2, 0, { untrained: { reasons: { subagent: 25 }, lossy: 0 } }));
  expect(await sumUntrained(control.ctx, run)).toEqual({
    ...{ sampled: 100, lossy: 0 },
    reasons: [{ reason: "subagent", tokens: 25 }],
  });
});

test("a rollout that no update took is left out while it may wait, and counts once the run has ended", async () => {
  const base = launchSpec();
  const run = await runOf("ahead", {
    algorithm: { ...base.algorithm, trainer_mode: "fully_async" },
  });
  const { id } = run;
  const [taken, waiting] = [rollout(id, 1, 0, {}), rollout(id, 1, 1, { tokensSampled: 60 })];
  await control.ctx.db.takenRollout.create({
    data: {
      ...{ rolloutId: taken.rolloutId, runId: id, attempt: 0, step: 1 },
      ...{ update: 1, version: 0 },
    },
  });
  await index(taken, waiting);
  expect(await sumUntrained(control.ctx, run)).toEqual({ sampled: 100, reasons: [], lossy: 0 });
  await control.ctx.db.run.update({ where: { id }, data: { status: "stopped" } });
  expect(await sumUntrained(control.ctx, run)).toEqual({
    ...{ sampled: 160, lossy: 0 },
    reasons: [{ reason: "not-taken", tokens: 60 }],
  });
});
