import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTokensBySteps } from "#metrics/read-tokens-by-steps.ts";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { readDistribution } from "#rollouts/read-distribution.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { trialChange } from "#testing/factories.ts";

describe("what the rollouts of each step are like", () => {
  let control: TestControl;
  const runId = "spread-01";
  const read = (quantity: "reward" | "turns" | "version_span", more = {}) =>
    readDistribution(control.ctx, { runId, quantity, buckets: 200, ...more });
  beforeAll(async () => {
    control = await buildTestContext();
    await control.ctx.db.run.create({
      data: {
        id: runId,
        project: "tests",
        name: "spread",
        status: "running",
        driver: "embedded",
        color: 1,
      },
    });
    let cursor = 0;
    const trial = (step: number, index: number, change: object) =>
      trialChange({
        runId,
        step,
        group: 0,
        index,
        cursor: ++cursor,
        versionSpan: [step - 1, step - 1],
        ...change,
      });
    const changes = [
      trial(1, 0, { reward: 0, turns: 1 }),
      trial(1, 1, { reward: 1, turns: 3 }),
      trial(1, 2, { reward: 1, turns: 5 }),
      trial(3, 0, { reward: 0.5, turns: 2, versionSpan: [0, 2] }),
      // These two are no rollouts with a reward.
      trial(3, 1, { reward: null, status: "failed", turns: 9 }),
      trial(3, 2, { reward: null, status: "running", endedAt: null, turns: 8 }),
    ];
    await indexTrials(control.ctx, { changes, cursor });
  });
  afterAll(() => control.close());

  test("counts by bins, each step by itself, and the quantiles beside them", async () => {
    const turns = await read("turns");
    expect(turns).toMatchObject({
      low: 0.5,
      high: 5.5,
      bins: 5,
      bucketSteps: 1,
      step: [1, 3],
      n: [3, 1],
    });
    expect(turns.counts).toEqual([
      [1, 0, 1, 0, 1],
      [0, 1, 0, 0, 0],
    ]);
    expect(turns.median).toEqual([3, 2]);
    const reward = await read("reward");
    expect(reward.counts.map((column) => column.reduce((a, b) => a + b))).toEqual([3, 1]);
    // The highest value lies in the last bin, not beyond it.
    expect(reward.counts[0]?.at(-1)).toBe(2);
  });

  test("tokens of several policy versions are told from those of one", async () => {
    expect((await read("version_span")).median).toEqual([0, 2]);
  });

  test("a zoom reads its steps alone; a run without rollouts has nothing", async () => {
    expect((await read("turns", { range: [2, 9] })).step).toEqual([3]);
    expect((await read("turns", { range: [4, 9] })).step).toEqual([]);
    await expect(
      readDistribution(control.ctx, { runId: "none", quantity: "turns", buckets: 10 }),
    ).rejects.toThrow(/no run/);
  });

  test("the tokens axis adds up what each step logged", async () => {
    await control.ctx.ingest.append(
      runId,
      [10, 20, "NaN" as const, 5].map((tokens, i) => ({
        step: i + 1,
        wallMs: 1_000 * i,
        values: { "perf/total_num_tokens": tokens },
      })),
    );
    await control.ctx.ingest.settle();
    expect(await readTokensBySteps(control.ctx, { runId })).toEqual({
      step: [1, 2, 3, 4],
      total: [10, 30, 30, 35],
    });
    await expect(readTokensBySteps(control.ctx, { runId: "none" })).rejects.toThrow(/no run none/);
  });
});
