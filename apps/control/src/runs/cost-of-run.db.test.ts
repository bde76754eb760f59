import { afterAll, beforeAll, expect, test } from "vitest";
import { costOfRun, devicesOf } from "#runs/cost-of-run.ts";
import { insertRun } from "#runs/insert-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, verlSpec } from "#testing/factories.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

test("a run holds its GPUs, or its processes", () => {
  expect(devicesOf(launchSpec())).toEqual({ device: "cpu", devices: 2 });
  const layout = {
    ...{ nnodes: 2, n_gpus_per_node: 8, rollout_nnodes: 1, rollout_n_gpus_per_node: 4 },
  };
  expect(devicesOf(verlSpec("/venv", { layout }))).toEqual({ device: "gpu", devices: 20 });
});

test("hours, tokens, and what a tenth of reward cost", async () => {
  const { ctx } = control;
  const run = await insertRun(ctx, {
    ...{ project: "tests", name: "cost", status: "running", driver: "embedded" },
    ...{ spec: launchSpec(), tags: [] },
  });
  const cost = () => costOfRun(ctx, { runId: run.id, spec: verlSpec("/venv"), seconds: 1800 });
  expect(await cost()).toEqual({
    ...{ device: "gpu", devices: 8, deviceHours: 4, tokensSampled: 0, tokensTotal: 0 },
    ...{ rewardGain: null, hoursPerTenth: null },
  });
  const line = (step: number, value: number) => ({
    ...{ step, wallMs: step, values: { "critic/rewards/mean": value } },
  });
  const rise = Array.from({ length: 40 }, (_, i) => line(i + 1, i < 20 ? 0.1 : 0.5));
  await ctx.ingest.append(run.id, rise);
  await ctx.ingest.settle();
  const known = await cost();
  expect(known?.rewardGain).toBeCloseTo(0.4);
  expect(known?.hoursPerTenth).toBeCloseTo(1);
  expect(await costOfRun(ctx, { runId: run.id, spec: null, seconds: 1 })).toBeNull();
});
