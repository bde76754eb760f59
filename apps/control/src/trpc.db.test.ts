import { afterAll, beforeAll, expect, test } from "vitest";
import { appRouter } from "#router.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { verlSpec } from "#testing/factories.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());
const caller = () => appRouter.createCaller({ ...control.ctx, actor: "test" });

test.each(["vl\0lm", "vl\ud800lm"])(
  "text that no database holds is told by its place: %j",
  async (name) => {
    const spec = verlSpec("/venv");
    const bad = { ...spec, rollout: { ...spec.rollout, name } };
    await expect(
      caller().run.launch({ spec: bad, idempotencyKey: "0123456789" }),
    ).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringMatching(/^spec\.rollout\.name has a zero byte or half a character/),
    });
    await expect(caller().run.get({ id: name })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    const { faults } = await caller().launch.plan({ spec: bad });
    expect(faults).toEqual([
      { path: "rollout.name", message: expect.stringContaining("can not be stored") },
    ]);
  },
);
