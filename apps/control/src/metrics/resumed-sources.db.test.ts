import { appendFile, copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readSeries } from "#metrics/read-series.ts";
import { appRouter } from "#router.ts";
import { attachRun } from "#runs/attach-run.ts";
import { INGEST_TOKEN, startTestApp, type TestApp } from "#testing/start-test-app.ts";
import { until } from "#testing/until.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const ctx = () => app.control.ctx;
const caller = () => appRouter.createCaller({ ...ctx(), actor: "test" });
const stored = async (runId: string, key: string) => {
  await ctx().ingest.settle();
  return (await readSeries(ctx().pool, { runId, keys: [key], buckets: 4000 })).series[0];
};
const resumes = (runId: string) =>
  ctx().db.runEvent.findMany({ where: { runId, kind: "resume" }, orderBy: { id: "asc" } });
const stepIs = (runId: string, step: number) =>
  until(async () => {
    await ctx().ingest.settle();
    return (await caller().run.get({ id: runId })).step === step;
  });
const signsOf = async (id: string) =>
  (await caller().run.verdict({ id })).advisories.map((advisory) => advisory.id);

it("TensorBoard: what lies behind purge_step is gone, as TensorBoard shows it", async () => {
  const from = new URL("../tensorboard/__fixtures__/resumed/", import.meta.url);
  const path = join(ctx().config.dataDir, "resumed-events");
  await mkdir(path);
  for (const name of await readdir(from)) await copyFile(new URL(name, from), join(path, name));
  const { id } = await attachRun(ctx(), {
    ...{ project: "p", name: "tb" },
    path,
    source: "tensorboard",
  });
  await stepIs(id, 130);
  const reward = await stored(id, "reward");
  expect(reward?.step).toEqual([...steps(0, 90, 10), ...steps(100, 130, 5)]);
  expect(reward?.value.at(-1)).toBeCloseTo(6.3);
  // `loss` is not logged again: it ends where the writer went back.
  expect((await stored(id, "loss"))?.step).toEqual(steps(0, 90, 10));
  expect(await resumes(id)).toMatchObject([
    {
      step: 100,
      message: "Resumed from step 100; what was logged up to step 150 before is set aside",
    },
  ]);
  expect(await signsOf(id)).toEqual([]);
});

it.each(["in one read", "line by line"])("verl's file logger, %s", async (how) => {
  const text = await readFile(new URL("./__fixtures__/resumed.jsonl", import.meta.url), "utf8");
  const lines = text.trim().split("\n");
  const path = join(ctx().config.dataDir, `${how}.jsonl`);
  const isWhole = how === "in one read";
  await writeFile(path, isWhole ? text : `${lines.slice(0, 20).join("\n")}\n`);
  const { id } = await attachRun(ctx(), { project: "p", name: "file", path });
  if (!isWhole) {
    await stepIs(id, 20);
    for (const line of lines.slice(20)) {
      await appendFile(path, `${line}\n`);
      const { step, data } = JSON.parse(line);
      await until(async () => {
        const score = await stored(id, "critic/score/mean");
        return score?.value[score.step.indexOf(step)] === data["critic/score/mean"];
      });
    }
  }
  await stepIs(id, 9);
  const score = await stored(id, "critic/score/mean");
  expect(score?.step).toEqual(steps(1, 9));
  expect(score?.value.slice(5)).toEqual([0.6, 0.6, 0.6, 0.6]);
  expect((await stored(id, "actor/entropy"))?.step).toEqual(steps(1, 9));
  expect(await resumes(id)).toMatchObject([
    { step: 5, message: expect.stringContaining("step 5") },
  ]);
  expect(await signsOf(id)).toEqual([]);
  const [summary] = (await caller().run.list({ project: "p" })).runs.filter((run) => run.id === id);
  expect(summary).toMatchObject({ step: 9, reward: { last: 0.6 } });
});

const log = async (run: string, rows: { step: number; time?: number; values: object }[]) => {
  const response = await fetch(`${app.base}/api/v1/metrics`, {
    ...{ method: "POST", headers: { authorization: `Bearer ${INGEST_TOKEN}` } },
    body: JSON.stringify({ project: "p", run, rows }),
  });
  const { runId } = (await response.json()) as { runId: string };
  await ctx().ingest.settle();
  return runId;
};
const values = (step: number, reward: number) => ({
  step,
  values: { reward, loss: 1 / (step + reward), entropy: 0.5 },
});

it.each(["one request", "a request a row"])("POST /api/v1/metrics, %s", async (how) => {
  const rows = [
    ...steps(1, 20).map((step) => values(step, 0.1 + step / 50)),
    ...steps(6, 9).map((step) => values(step, 0.05 + step / 50)),
  ];
  const name = `api-${how.split(" ")[0]}`;
  let runId = "";
  if (how === "one request") runId = await log(name, rows);
  else for (const row of rows) runId = await log(name, [row]);
  await stepIs(runId, 9);
  expect((await stored(runId, "reward"))?.step).toEqual(steps(1, 9));
  expect((await resumes(runId)).map(({ step }) => step)).toEqual([5]);
  expect(await signsOf(runId)).not.toContain("reward-drop");
  expect(await ctx().db.abandonedPoint.count({ where: { runId } })).toBe(
    how === "one request" ? 0 : 42,
  );
});

it("evaluations of older steps, other axes and late rows are no resume", async () => {
  const rows = steps(1, 60).flatMap((step) => [
    { step, values: { loss: 1 / step, reward: step / 100, grad_norm: 1 + step } },
    ...(step % 10 === 0 ? [{ step: step - 8, values: { "val/acc": step } }] : []),
    ...(step % 3 === 0 ? [{ step: step / 3, values: { "rollout/reward": step } }] : []),
    { step: step * 4096, values: { "tokens/loss": 1 / step } },
  ]);
  const runId = await log("many-axes", rows);
  // The newest evaluations again, by a later judge.
  await log(
    "many-axes",
    steps(2, 52, 10).map((step) => ({ step, values: { "val/acc": step + 0.5 } })),
  );
  await log(
    "many-axes",
    [rows[100], rows[130]].filter((row) => row !== undefined),
  );
  expect(await resumes(runId)).toEqual([]);
  expect((await stored(runId, "loss"))?.step).toEqual(steps(1, 60));
  expect((await stored(runId, "rollout/reward"))?.step).toEqual(steps(1, 20));
});

it("after a resume each series goes back on its own axis", async () => {
  const at = (step: number, shift: number, seconds: number) => [
    {
      step,
      time: seconds,
      values: { "train/loss": 1 / step + shift, "train/reward": step + shift },
    },
    { step: step * 4096, time: seconds, values: { "tokens/loss": 1 / step + shift } },
    ...(step % 4 === 0
      ? [{ step: step / 4, time: seconds, values: { "rollout/len": step + shift } }]
      : []),
    ...(step % 10 === 0 ? [{ step, time: seconds, values: { "val/acc": step + shift } }] : []),
  ];
  const first = steps(1, 40).flatMap((step) => at(step, 0, 1000 + step * 10));
  const runId = await log("axes", first);
  for (const step of steps(21, 25)) await log("axes", at(step, 500, 5000 + step * 10));
  expect((await stored(runId, "train/loss"))?.step).toEqual(steps(1, 25));
  expect((await stored(runId, "val/acc"))?.step).toEqual([10, 20]);
  expect((await stored(runId, "tokens/loss"))?.step).toEqual(
    steps(1, 25).map((step) => step * 4096),
  );
  expect((await stored(runId, "rollout/len"))?.step).toEqual(steps(1, 6));
  expect(await resumes(runId)).toHaveLength(1);
});

function steps(from: number, to: number, every = 1): number[] {
  return Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, i) => from + i * every);
}
