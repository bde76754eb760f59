import { randomUUID } from "node:crypto";
import { COMPUTED_KEYS } from "@liverl/contract/metric";
import { afterAll, beforeAll, expect, test } from "vitest";
import { followMfu } from "#metrics/follow-mfu.ts";
import { readSeries } from "#metrics/read-series.ts";
import { launchRun } from "#runs/launch-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { verlSpec } from "#testing/factories.ts";
import { until } from "#testing/until.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

const line = (step: number, stepS: number) => ({
  step,
  wallMs: step,
  values: { "perf/mfu/actor": 0.4, "timing_s/update_actor": 30, "timing_s/step": stepS },
});

test("a run's steps get it as they come, and those that came before", async () => {
  const { ctx } = control;
  const layout = { ...verlSpec("/venv").layout, rollout_nnodes: 1, rollout_n_gpus_per_node: 8 };
  const { id } = await launchRun(
    { ...ctx, actor: "test" },
    { spec: verlSpec("/venv", { layout }), idempotencyKey: randomUUID() },
  );
  await ctx.ingest.append(id, [line(1, 60), line(2, 120)]);
  await ctx.ingest.settle();
  const stop = new AbortController();
  await followMfu(ctx, stop.signal);
  await ctx.ingest.append(id, [line(3, 240)]);
  const values = async () => {
    const { series } = await readSeries(ctx.pool, {
      runId: id,
      keys: [COMPUTED_KEYS.mfu],
      buckets: 10,
    });
    return series[0]?.value.length === 3 ? series[0] : null;
  };
  const train = layout.nnodes * layout.n_gpus_per_node;
  const share = train / (train + 8);
  expect((await until(values))?.value).toEqual(
    [0.2, 0.1, 0.05].map((all) => expect.closeTo(all * share, 9)),
  );
  stop.abort();
});
