import { afterAll, beforeAll, expect, test } from "vitest";
import { launchJudged } from "#launch/launch-judged.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec } from "#testing/factories.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

// No trial runner is there, so every preflight refuses.
const launch = (idempotencyKey: string, force?: boolean) =>
  launchJudged(
    { ...control.ctx, actor: "test" },
    { spec: launchSpec(), idempotencyKey, ...(force !== undefined && { force }) },
  );

test("what the preflight refuses is launched by force alone, and judged once", async () => {
  await expect(launch("judged-key")).rejects.toMatchObject({
    code: "CONFLICT",
    userMessage: expect.stringMatching(/^The preflight refuses\. Trial runner .* `force`\.$/),
  });
  expect(await control.ctx.db.run.count()).toBe(0);
  const { id } = await launch("judged-key", true);
  expect(await launch("judged-key")).toEqual({ id });
});
