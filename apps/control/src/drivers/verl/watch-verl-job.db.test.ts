import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { JobState, VerlJob } from "#drivers/verl/job-state.ts";
import { type VerlFiles, verlFiles } from "#drivers/verl/verl-files.ts";
import { watchVerlJob } from "#drivers/verl/watch-verl-job.ts";
import { insertRun } from "#runs/insert-run.ts";
import { stopRun } from "#runs/stop-run.ts";
import {
  buildTestContext,
  type TestContext,
  type TestControl,
} from "#testing/build-test-context.ts";
import { verlSpec } from "#testing/factories.ts";
import { until } from "#testing/until.ts";

let control: TestControl;
let ctx: TestContext;
let runId: string;
let files: VerlFiles;
const never = new AbortController().signal;
const spec = verlSpec("/opt/venv");

beforeAll(async () => {
  control = await buildTestContext();
  ctx = control.ctx;
});
afterAll(() => control.close());
beforeEach(async () => {
  const run = await insertRun(ctx, {
    ...{ project: "tests", name: "watched", status: "running", driver: "ray-job" },
    ...{ spec, tags: [] },
  });
  runId = run.id;
  files = verlFiles(ctx.config.dataDir, runId);
  await mkdir(files.logs, { recursive: true });
});

/** Stands in for a job of a cluster, whose answers it gives one after the other; the last one for ever. */
function jobThatSays(states: readonly (JobState | Error)[], stop: VerlJob["stop"]): VerlJob {
  const left = [...states];
  return {
    prepare: async () => undefined,
    start: async () => undefined,
    state: async () => {
      const state = left.length > 1 ? left.shift() : left[0];
      if (!state || state instanceof Error) throw state;
      return state;
    },
    stop,
    followLog: async () => undefined,
  };
}
const neverStops = async (signal = never) => void (await sleep(2 ** 30, undefined, { signal }));
const watch = (job: VerlJob) => watchVerlJob(ctx, { runId, attempt: 1, spec, files, job }, never);
const alerts = async () =>
  (await ctx.db.runEvent.findMany({ where: { runId, kind: "alert" } })).map(
    ({ message }) => message,
  );
const stop = (when: "now" | "abandon") => stopRun({ ...ctx, actor: "test" }, { id: runId, when });
const mode = async () => (await ctx.db.run.findUniqueOrThrow({ where: { id: runId } })).stopMode;

test("an error of ours while a job is watched ends nothing", async () => {
  const steps = [1, 2, 3, 4].map((step) => JSON.stringify({ step, data: { "actor/lr": 1 } }));
  await writeFile(files.metrics(1), `${steps.join("\n")}\n`);
  const job = jobThatSays(
    [
      new Error("EMFILE: too many open files"),
      { kind: "running" },
      { kind: "ended", code: 0, detail: null },
    ],
    neverStops,
  );
  expect(await watch(job)).toMatchObject({ to: "succeeded" });
  expect(await alerts()).toEqual([
    "The job could not be looked at and is left alone: Error: EMFILE: too many open files",
  ]);
}, 20_000);

test("a kill needs no word of the job", async () => {
  const job = jobThatSays([new Error("unreadable")], async () => undefined);
  await stop("now");
  expect(await watch(job)).toEqual({ to: "cancelled", reason: "stopped at once, after step 0" });
});

test("a job whose cluster is gone can be given up, after a kill alone", async () => {
  const job = jobThatSays([{ kind: "unknown", detail: "nobody answers" }], neverStops);
  await expect(stop("abandon")).rejects.toBeInstanceOf(AppError);
  await stop("now");
  const watching = watch(job);
  await until(async () => (await mode()) === "now");
  await stop("abandon");
  expect((await watching).reason).toBe(
    "stopped at once, after step 0; given up without an answer of its cluster, where it may still run",
  );
});

test("validations and checkpoints are events, once, also where the job is watched anew", async () => {
  const lines = [
    { step: 0, data: { "val-core/repair/reward/mean@1": 0.25 } },
    { step: 1, data: { "actor/lr": 1 } },
    { step: 2, data: { "actor/lr": 1, "val-core/repair/reward/mean@1": 0.5 } },
  ];
  await writeFile(files.metrics(1), lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const shard = (step: number) => join(files.checkpoints, `global_step_${step}`, "actor");
  for (const step of [1, 2]) await mkdir(shard(step), { recursive: true });
  const name = "model_world_size_2_rank_";
  await writeFile(join(shard(1), `${name}0.pt`), "x");
  await writeFile(join(shard(1), `${name}1.pt`), "y");
  // A rank is missing.
  await writeFile(join(shard(2), `${name}0.pt`), "x");
  const over = () => jobThatSays([{ kind: "ended", code: 1, detail: null }], neverStops);
  await watch(over());
  await watch(over());
  const events = await ctx.db.runEvent.findMany({
    where: { runId, kind: { in: ["evaluation", "checkpoint"] } },
    orderBy: { id: "asc" },
  });
  expect(events.map(({ kind, step, message }) => [kind, step, message])).toEqual([
    ["evaluation", 0, "in-run reward 0.250 (val-core/repair/reward/mean@1)"],
    ["evaluation", 2, "in-run reward 0.500 (val-core/repair/reward/mean@1)"],
    ["checkpoint", 1, "global_step_1, 0.0 MB"],
  ]);
}, 20_000);
