import { afterAll, beforeAll, expect, test } from "vitest";
import { chooseFirstRun } from "#launch/choose-first-run.ts";
import { getRunConfig } from "#runs/get-run-config.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

test("the run that a first start makes has its values from the preset", async () => {
  const { ctx } = control;
  const config = { ...ctx.config, run: true, exitAfterRun: false };
  const runId = await chooseFirstRun({ ...ctx, config });
  if (runId === null) throw new Error("no run was launched");
  const { base, values } = await getRunConfig(ctx, { runId });
  expect(base).toMatchObject({ kind: "preset", id: "quickstart" });
  expect(values.filter(({ source }) => source === "override")).toEqual([]);
  expect(values.find(({ path }) => path === "batch.n")?.source).toBe("preset");
});
