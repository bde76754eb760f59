import { randomUUID } from "node:crypto";
import { COMPUTED_KEYS } from "@liverl/contract/metric";
import type { VerlMode } from "@liverl/contract/verl-launch";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSeries } from "#metrics/read-series.ts";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { launchRun } from "#runs/launch-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { trialChange, verlSpec } from "#testing/factories.ts";
import { until } from "#testing/until.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

const base = verlSpec("/venv");
const batch = { ...base.batch, train_batch_size: 2, n: 2, ppo_mini_batch_size: 2 };
const launch = async (trainer_mode: VerlMode) =>
  (
    await launchRun(
      { ...control.ctx, actor: "test" },
      {
        spec: { ...base, batch, algorithm: { ...base.algorithm, trainer_mode } },
        idempotencyKey: randomUUID(),
      },
    )
  ).id;

let cursor = 0;
/** As trainers ask that name no step: it is known by the weights alone, and not at all where nothing was sampled. */
function rollout(runId: string, group: string, weights: number | null, second: number) {
  cursor += 1;
  const isWell = weights !== null;
  return trialChange({
    ...{ runId, step: 0, group: 0, index: 0, cursor },
    ...{ rolloutId: `${group}.${cursor}`, groupId: group, status: isWell ? "succeeded" : "failed" },
    ...{ reward: isWell ? 1 : null, versionSpan: isWell ? [weights, weights] : null },
    queuedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  });
}
const unnamed = (change: ReturnType<typeof rollout>) => ({ ...change, step: null });
const index = (...changes: ReturnType<typeof rollout>[]) =>
  indexTrials(control.ctx, { changes: changes.map(unnamed), cursor });
const read = async (runId: string, key: string) => {
  const { series } = await readSeries(control.ctx.pool, { runId, keys: [key], buckets: 10 });
  return Object.fromEntries(
    (series[0]?.step ?? []).map((step, at) => [step, series[0]?.value[at]]),
  );
};
const has = (runId: string, invalid: Record<number, number>) =>
  until(async () => {
    const seen = await read(runId, COMPUTED_KEYS.invalidRatio);
    return JSON.stringify(seen) === JSON.stringify(invalid);
  }, 10_000);

test("what failed before it sampled is of its siblings' step", async () => {
  const id = await launch("v0");
  await index(rollout(id, "a", null, 0), rollout(id, "b", 0, 0), rollout(id, "b", 0, 0));
  await index(rollout(id, "a", 0, 5));
  await has(id, { 1: 0.25 });
});

test("a group of which nothing sampled is of the step beside which it was asked for", async () => {
  const id = await launch("one_step_off");
  await index(rollout(id, "a", 0, 0), rollout(id, "b", null, 1), rollout(id, "b", null, 1));
  await index(rollout(id, "a", 0, 2));
  await has(id, { 1: 0.5 });
});

test("weights that began fewer rollouts than a step takes are done once later ones have ended", async () => {
  const id = await launch("fully_async");
  await index(rollout(id, "a", 0, 0), rollout(id, "a", 0, 0), rollout(id, "b", 0, 1));
  expect(await read(id, COMPUTED_KEYS.invalidRatio)).toEqual({});
  await index(rollout(id, "c", 1, 9));
  await has(id, { 1: 0 });
});
