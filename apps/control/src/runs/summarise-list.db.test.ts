import { afterAll, beforeAll, expect, test } from "vitest";
import { setPrice } from "#prices/set-price.ts";
import { insertRun } from "#runs/insert-run.ts";
import { summariseList } from "#runs/summarise-list.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec } from "#testing/factories.ts";

let control: TestControl;
let id: string;
beforeAll(async () => {
  control = await buildTestContext();
  const { ctx } = control;
  const run = await insertRun(ctx, {
    ...{ project: "tests", name: "ended", status: "succeeded", driver: "embedded", tags: [] },
    spec: launchSpec(),
  });
  ({ id } = run);
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
  await ctx.db.runEvent.createMany({
    data: [
      { runId: id, kind: "status", actor: "test", message: "running", at: at(0) },
      { runId: id, kind: "status", actor: "test", message: "succeeded", at: at(60) },
    ],
  });
});
afterAll(() => control.close());

const rows = () => control.ctx.db.run.findMany({ where: { id } });
/** As it is kept, held against what is worked out anew. */
async function listed() {
  await summariseList(control.ctx, await rows());
  const [kept] = await summariseList(control.ctx, await rows());
  const [anew] = await summariseRuns(control.ctx, await rows());
  expect(kept).toEqual(anew?.summary);
  return kept;
}
async function log(step: number, reward: number): Promise<void> {
  await control.ctx.ingest.append(id, [
    { step, wallMs: step, values: { "critic/rewards/mean": reward } },
  ]);
  await control.ctx.ingest.settle();
}

test("what is kept of an ended run follows its points, its row, and its project's price", async () => {
  await log(1, 0.25);
  expect(await listed()).toMatchObject({ reward: { last: 0.25 }, tags: [] });
  await log(2, 0.75);
  expect(await listed()).toMatchObject({ reward: { last: 0.75 }, step: 2 });
  await control.ctx.db.run.update({ where: { id }, data: { tags: ["kept"], heldOutReward: 0.5 } });
  expect(await listed()).toMatchObject({ tags: ["kept"], heldOutReward: 0.5 });
  expect((await listed())?.spent?.money).toBeNull();
  await setPrice(
    { ...control.ctx, actor: "test" },
    { project: "tests", gpuHour: 1, cpuHour: 2, currency: "EUR" },
  );
  expect((await listed())?.spent?.money).toEqual({ amount: 4, currency: "EUR" });
});
