import { FINAL_EVALUATION_KEY } from "@liverl/contract/metric";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setPrice } from "#prices/set-price.ts";
import { costOfRun } from "#runs/cost-of-run.ts";
import { getRun } from "#runs/get-run.ts";
import { insertRun } from "#runs/insert-run.ts";
import { listRuns } from "#runs/list-runs.ts";
import { devicesOf } from "#runs/load-spent.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange, verlSpec } from "#testing/factories.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

const line = (step: number, values: Record<string, number>) => ({ step, wallMs: step, values });

/** A run that was at work for an hour, then paused, then for half an hour more. */
async function ended(name: string, engines: number) {
  const { ctx } = control;
  const spec = launchSpec();
  const run = await insertRun(ctx, {
    ...{ project: "tests", name, status: "cancelled", driver: "embedded", tags: [] },
    spec: { ...spec, rollout: { ...spec.rollout, engines } },
  });
  const at = (minute: number, message: string) => ({
    ...{ runId: run.id, kind: "status", actor: "test", message },
    at: new Date(Date.UTC(2026, 0, 1, 0, minute)),
  });
  await ctx.db.runEvent.createMany({
    data: [
      ...[at(0, "booting"), at(5, "running"), at(60, "failed: the trainer died")],
      ...[at(500, "queued: resumes from step 3"), at(510, "booting"), at(540, "cancelled")],
    ],
  });
  return run.id;
}

test("a run holds its GPUs, or its processes", () => {
  expect(devicesOf(launchSpec())).toEqual({ device: "cpu", devices: 2 });
  const layout = {
    ...{ nnodes: 2, n_gpus_per_node: 8, rollout_nnodes: 1, rollout_n_gpus_per_node: 4 },
  };
  expect(devicesOf(verlSpec("/venv", { layout }))).toEqual({ device: "gpu", devices: 20 });
});

test("hours, tokens, money, and what a reward point cost, as reckoned by hand", async () => {
  const { ctx } = control;
  const id = await ended("cost", 3);
  // 1.5 h at work, 3 engines and a trainer.
  const held = { device: "cpu", devices: 4, deviceHours: 6 };
  expect((await getRun(ctx, { id })).cost).toEqual({
    ...held,
    ...{ money: null, tokensSampled: 0, tokensPrompt: 0, tokensTrained: null },
    ...{ heldOutGain: null, hoursPerPoint: null, moneyPerPoint: null },
  });
  const sampled = [
    { group: 0, mode: "train", tokensSampled: 30, tokensTotal: 120 },
    { group: 1, mode: "eval", tokensSampled: 12, tokensTotal: 100 },
  ] as const;
  for (const change of sampled) {
    const row = trialChange({ runId: id, step: 1, index: 0, cursor: change.group, ...change });
    const { cursor, flags, untrained, versionSpan, routingCoverage, error, timings, ...rest } = row;
    await ctx.db.rollout.create({
      data: {
        ...{ ...rest, groupId: `${id}.s1.g${change.group}`, index: 0 },
        ...{ cursor: BigInt(cursor), timings: timings ?? undefined },
      },
    });
  }
  await ctx.ingest.append(id, [
    line(0, { "val-core/liverl/repair/acc/mean@1": 0.2 }),
    line(1, { "perf/total_num_tokens": 1_000 }),
    line(2, { "perf/total_num_tokens": 1_500, "val-core/liverl/repair/acc/mean@1": 0.5 }),
    line(3, { "perf/total_num_tokens": Number.NaN, "val-core/liverl/repair-final/acc/mean@1": 9 }),
  ]);
  await ctx.ingest.settle();
  const prices = { gpuHour: 100, cpuHour: 0.5, currency: "EUR" };
  await setPrice({ ...ctx, actor: "test" }, { project: "tests", ...prices });
  const { cost } = await getRun(ctx, { id });
  expect(cost).toMatchObject({
    ...held,
    // 6 h at 0.50 EUR.
    money: { amount: 3, currency: "EUR" },
    ...{ tokensSampled: 42, tokensPrompt: 178, tokensTrained: 2_500 },
  });
  // From 0.2 to 0.5: 6 h and 3 EUR for 0.3 of a point.
  expect(cost?.heldOutGain).toBeCloseTo(0.3, 12);
  expect(cost?.hoursPerPoint).toBeCloseTo(20, 9);
  expect(cost?.moneyPerPoint?.amount).toBeCloseTo(10, 9);
  // The evaluation at the end comes after all others.
  await ctx.db.run.update({ where: { id }, data: { heldOutReward: 0.95 } });
  expect((await getRun(ctx, { id })).cost?.hoursPerPoint).toBeCloseTo(6 / 0.75, 9);
  const { runs } = await listRuns(ctx, { project: "tests" });
  expect(runs.find((run) => run.id === id)?.spent).toEqual({
    ...held,
    money: { amount: 3, currency: "EUR" },
  });
});

test("an evaluation at the end alone is no gain", async () => {
  const { ctx } = control;
  const id = await ended("end-alone", 1);
  const spent = { device: "cpu", devices: 2, deviceHours: 4, money: null } as const;
  await ctx.ingest.append(id, [line(9, { [FINAL_EVALUATION_KEY]: 0.9 })]);
  await ctx.ingest.settle();
  expect(await costOfRun(ctx, { runId: id, spent, finalReward: 0.9 })).toMatchObject({
    heldOutGain: null,
  });
});

test("a loss has no price, one evaluation is no gain, and GPUs have a price of their own", async () => {
  const { ctx } = control;
  const id = await ended("loss", 1);
  const spent = { device: "gpu", devices: 8, deviceHours: 4, money: null } as const;
  const cost = (finalReward: number | null) => costOfRun(ctx, { runId: id, spent, finalReward });
  await ctx.ingest.append(id, [line(0, { "val-core/own/acc": 0.4 })]);
  await ctx.ingest.settle();
  expect(await cost(null)).toMatchObject({ heldOutGain: null, hoursPerPoint: null });
  const lost = await cost(0.1);
  expect(lost?.heldOutGain).toBeCloseTo(-0.3, 12);
  expect([lost?.hoursPerPoint, lost?.moneyPerPoint]).toEqual([null, null]);
  expect(await costOfRun(ctx, { runId: id, spent: null, finalReward: 1 })).toBeNull();
});
