import { afterAll, beforeAll, expect, test } from "vitest";
import { insertRun } from "#runs/insert-run.ts";
import { listRunValues } from "#runs/list-run-values.ts";
import { readProjectTasks } from "#tasks/read-project-tasks.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

let cursor = 0;
async function rollout(
  runId: string,
  taskName: string,
  reward: number | null,
  status = "succeeded",
  taskId = taskName,
) {
  const row = trialChange({ runId, step: 1, group: 0, index: ++cursor, cursor });
  const {
    cursor: at,
    flags,
    untrained,
    versionSpan,
    routingCoverage,
    error,
    timings,
    ...rest
  } = row;
  await control.ctx.db.rollout.create({
    data: {
      ...{ ...rest, groupId: `${runId}.g`, taskName, taskId, reward, status, index: cursor },
      ...{ cursor: BigInt(at), timings: timings ?? undefined },
    },
  });
}
const runOf = (project: string, name: string, tags: string[] = []) =>
  insertRun(control.ctx, {
    ...{ project, name, status: "succeeded", driver: "embedded", spec: launchSpec(), tags },
    base: { kind: "preset", id: "quickstart", label: "Quickstart", spec: launchSpec() },
  });

test("tasks over the runs of a project, those of another left out", async () => {
  const [one, two, other] = [
    await runOf("tests", "one", ["smoke", "50%"]),
    await runOf("tests", "two"),
    await runOf("elsewhere", "three", ["theirs"]),
  ];
  await rollout(one.id, "hard", 0);
  await rollout(two.id, "hard", 1);
  await rollout(two.id, "hard", null, "failed");
  await rollout(two.id, "easy", 1, "succeeded", "another of that name");
  await rollout(two.id, "easy", 1);
  await rollout(two.id, "easy", null, "running");
  await rollout(other.id, "easy", 0);
  expect(await readProjectTasks(control.ctx, { project: "tests", mode: "train" })).toEqual({
    ...{ total: 2, tasks: 3 },
    rows: [
      { task: "hard", runs: 2, ended: 3, known: 2, solved: 1, mean: 0.5, flagged: 0 },
      { task: "easy", runs: 1, ended: 2, known: 2, solved: 2, mean: 1, flagged: 0 },
    ],
  });
  expect(await readProjectTasks(control.ctx, { project: "tests", mode: "eval" })).toEqual({
    ...{ rows: [], total: 0, tasks: 0 },
  });
});

test("values of runs complete a filter", async () => {
  const values = async (field: "tag" | "name" | "preset" | "algorithm", like = "") =>
    (await listRunValues(control.ctx, { project: "tests", field, like })).values;
  expect(await values("tag")).toEqual(["50%", "smoke"]);
  expect(await values("tag", "%")).toEqual(["50%"]);
  expect(await values("name", "TW")).toEqual(["two"]);
  expect(await values("preset")).toEqual(["quickstart"]);
  expect(await values("algorithm")).toEqual(["grpo"]);
});
