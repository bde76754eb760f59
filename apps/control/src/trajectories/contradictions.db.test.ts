import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { COMPUTED_KEYS } from "@liverl/contract/metric";
import type { RolloutMode } from "@liverl/contract/rollout";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSeries } from "#metrics/read-series.ts";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { getStep } from "#steps/get-step.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { until } from "#testing/until.ts";
import { findContradiction } from "#trajectories/find-contradiction.ts";

let control: TestControl;
const runId = "mistested";
const TASKS = [0, 1, 2, 3];
let cursor = 0;

/** Four rollouts, each of a task that every step has; those of one task left the same patch, but for `other`. */
async function play(
  mode: RolloutMode,
  step: number,
  rewards: readonly number[],
  { other }: { other?: number } = {},
): Promise<void> {
  const changes = await Promise.all(
    TASKS.map(async (task) => {
      const directory = `harbor_trials/${mode}_${step}/${task}`;
      const artifacts = join(control.ctx.config.dataDir, directory, "artifacts");
      await mkdir(artifacts, { recursive: true });
      const answer = task === other ? `answer of step ${step}` : "answer";
      await writeFile(join(artifacts, "patch.diff"), `+${answer} to task ${task}\n`);
      cursor += 1;
      return trialChange({
        ...{ runId, step, group: task, index: 0, cursor, mode, directory },
        ...{ rolloutId: `${mode}.s${step}.t${task}`, taskId: `task-${task}` },
        reward: rewards[task] ?? null,
      });
    }),
  );
  await indexTrials(control.ctx, { changes, cursor });
}

const read = async (key: string) => {
  const { series } = await readSeries(control.ctx.pool, { runId, keys: [key], buckets: 10 });
  return Object.fromEntries(
    (series[0]?.step ?? []).map((step, at) => [step, series[0]?.value[at]]),
  );
};

beforeAll(async () => {
  control = await buildTestContext();
  const spec = launchSpec({ batch: { train_batch_size: 4, n: 1 } });
  await control.ctx.db.run.create({
    data: {
      ...{ id: runId, project: "tests", name: runId, driver: "embedded", status: "running" },
      ...{ spec, color: 1 },
    },
  });
});
afterAll(() => control.close());

test.each<[RolloutMode, string]>([
  ["train", COMPUTED_KEYS.contradicted],
  ["eval", COMPUTED_KEYS.contradictedEval],
])("%s: answers that came again with another reward are counted and named", async (mode, key) => {
  await play(mode, 1, [1, 1, 0, 1]);
  await play(mode, 2, [1, 1, 0, 1]);
  // The last one is another answer, of which nothing was known.
  await play(mode, 3, [0, 1, 0, 0], { other: 3 });
  await until(async () => (await read(key))[3] === 1 / 3, 10_000);
  expect(await read(key)).toEqual({ 2: 0, 3: 1 / 3 });
  const step = await getStep(control.ctx, { runId, step: 3, mode });
  expect(step.contradicted).toEqual([`${mode}.s3.t0`]);
  expect((await getStep(control.ctx, { runId, step: 2, mode })).contradicted).toEqual([]);
});

test("a rollout names the newest earlier one that was judged otherwise", async () => {
  const find = async (rolloutId: string) =>
    findContradiction(
      control.ctx,
      await control.ctx.db.rollout.findUniqueOrThrow({ where: { rolloutId } }),
    );
  expect(await find("train.s3.t0")).toEqual({ rolloutId: "train.s2.t0", step: 2, reward: 1 });
  expect(await find("train.s3.t1")).toBeNull();
  expect(await find("train.s3.t3")).toBeNull();
  expect(await find("train.s1.t0")).toBeNull();
});
