import { afterAll, beforeAll, expect, test } from "vitest";
import { readSeries } from "#metrics/read-series.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { until } from "#testing/until.ts";

const REWARD = "critic/rewards/mean";
const OLD = Date.parse("2026-01-01T10:00:00Z");
const RESUMED = Date.parse("2026-01-01T11:00:00Z");

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

test("a run that went on from an earlier step shows and is described by its present attempt, however far the one before it came", async () => {
  const { ctx } = control;
  const id = "resumed-01";
  await ctx.db.run.create({
    data: {
      ...{ id, project: "tests", name: "resumed", driver: "embedded", color: 1, spec: {} },
      ...{ status: "running" },
    },
  });
  const rows = (from: number, to: number, wallMs: number, value: (step: number) => number) =>
    Array.from({ length: to - from + 1 }, (_, i) => ({
      ...{ step: from + i, wallMs: wallMs + i * 1000 },
      values: { [REWARD]: value(from + i) },
    }));
  const read = async () =>
    (await readSeries(ctx.pool, { runId: id, keys: [REWARD], buckets: 4000 })).series[0];
  await ctx.ingest.append(
    id,
    rows(1, 62, OLD, (step) => step / 100),
  );
  await until(async () => (await read())?.step.length === 62);
  await ctx.db.runEvent.createMany({
    data: [
      ...[1, 2].map((attempt) => ({
        ...{ runId: id, kind: "crash", actor: "control", message: "died" },
        ...{ step: 10 * attempt, at: new Date(OLD), sourceKey: `crash:${attempt}` },
      })),
      {
        ...{ runId: id, kind: "resume", actor: "trainer", message: "resumed", step: 30 },
        ...{ at: new Date(RESUMED) },
      },
    ],
  });
  expect((await read())?.step.at(-1)).toBe(30);
  await ctx.ingest.append(
    id,
    rows(31, 34, RESUMED + 1000, () => 0.3),
  );
  await until(async () => (await read())?.step.at(-1) === 34);

  const [found] = await summariseRuns(ctx, [await ctx.db.run.findUniqueOrThrow({ where: { id } })]);
  expect(found?.summary).toMatchObject({ step: 34, reward: { last: 0.3 } });
  expect(found?.verdict.steps).toEqual([31, 34]);
  expect(found?.verdict.sentence).toContain(
    "training reward 0.300 over the last 3 steps, 0.020 over the first 3",
  );
  expect(found?.known.crashes).toEqual([
    { atMs: OLD, step: 10 },
    { atMs: OLD, step: 20 },
  ]);
});
