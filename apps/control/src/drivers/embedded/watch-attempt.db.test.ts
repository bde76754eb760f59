import { appendFile, mkdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { findEnding } from "#drivers/embedded/watch-attempt.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

const said = {
  ...{ attempt: 1, seq: 0, at: new Date().toISOString() },
  ...{ kind: "phase", id: "rollouts", state: "start", detail: null },
};

test.each([
  ["the attempt before a resume", "30", "booting"],
  ["the attempt that control did not see", "latest", "running"],
])("what %s said makes a booting run %s → %s", async (_, resumeFrom, status) => {
  const { ctx } = control;
  const id = `resumed-${resumeFrom}`;
  const files = runFiles(ctx.config.dataDir, id);
  await ctx.db.run.create({
    data: {
      ...{ id, project: "tests", name: id, driver: "embedded", color: 1, spec: {} },
      ...{ status: "booting", attempt: 1, resumeFrom },
    },
  });
  await mkdir(files.directory, { recursive: true });
  await appendFile(files.events(1), `${JSON.stringify(said)}\n`);
  expect(await findEnding(ctx, id, files)).toBeNull();
  const run = await ctx.db.run.findUniqueOrThrow({ where: { id } });
  expect(run.status).toBe(status);
});
