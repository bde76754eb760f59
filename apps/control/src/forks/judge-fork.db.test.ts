import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judgeFork } from "#forks/judge-fork.ts";
import { quickstart } from "#launch/presets/embedded-presets.ts";
import { insertRun } from "#runs/insert-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";

let control: TestControl;
let parentId: string;
beforeAll(async () => {
  control = await buildTestContext();
  const { id } = await insertRun(control.ctx, {
    ...{ project: "tests", name: "parent", status: "succeeded", driver: "embedded", tags: [] },
    spec: quickstart.spec,
  });
  parentId = id;
});
afterAll(() => control.close());

async function forkOf(step: number, reachedGoal: boolean, goal: number | null) {
  const folder = join(control.ctx.config.dataDir, "runs", parentId, "checkpoints");
  const path = join(folder, `global_step_${step}`);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "COMPLETE"), "");
  await writeFile(join(path, "trainer_state.json"), JSON.stringify({ progress: { reachedGoal } }));
  const { spec } = quickstart;
  const trainer = { ...spec.trainer, stop_at_val_reward: goal, resume_from_path: path };
  const algorithm = { ...spec.algorithm, kl_loss_coef: 0 };
  return judgeFork(control.ctx, { ...spec, algorithm, trainer });
}

test("a fork from where the goal was reached is warned that it may end at once", async () => {
  const goal = quickstart.spec.trainer.stop_at_val_reward;
  expect(goal).not.toBeNull();
  const warned = await forkOf(15, true, goal);
  expect(warned).toMatchObject({
    status: "warn",
    fix: { path: "trainer.stop_at_val_reward", value: null },
  });
  expect(warned?.why).toContain("of step 20");
});

test.each([
  ["from before the goal", 10, false, 0.95],
  ["with a higher goal", 15, true, 1],
  ["that never stops early", 15, true, null],
])("a fork %s is not", async (_, step, reached, goal) => {
  expect(await forkOf(step, reached, goal)).toMatchObject({ status: "pass" });
});
