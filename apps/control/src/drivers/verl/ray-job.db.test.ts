import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { endOf, RayJob } from "#drivers/verl/ray-job.ts";
import { verlFiles } from "#drivers/verl/verl-files.ts";
import { insertRun } from "#runs/insert-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec } from "#testing/factories.ts";
import { RayStandIn, type StandInJob } from "#testing/ray-stand-in.ts";

let control: TestControl;
let head: RayStandIn;
let runId: string;
const never = new AbortController().signal;
const noProgress = () => undefined;

beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());
beforeEach(async () => {
  head = await new RayStandIn().start();
  head.token = "the-token";
  const { ctx } = control;
  const run = await insertRun(ctx, {
    ...{ project: "tests", name: "ray", status: "booting", driver: "ray-job" },
    ...{ spec: launchSpec(), tags: [] },
  });
  runId = run.id;
  await mkdir(files().logs, { recursive: true });
  await writeFile(join(ctx.config.dataDir, "ray.token"), "the-token");
});
afterEach(() => head.stop());

const files = () => verlFiles(control.ctx.config.dataDir, runId);
/** As each life of control builds it. */
const build = () =>
  new RayJob(control.ctx, {
    ...{ runId, attempt: 1, files: files() },
    target: {
      address: head.address,
      token_path: join(control.ctx.config.dataDir, "ray.token"),
      python: "/opt/python",
      entrypoint_num_cpus: 1,
      ...{ runner_url: null, proxy_url: null },
    },
    argv: ["-m", "verl.trainer.main_ppo", "a='b c'"],
    env: { WANDB_API_KEY: "very-secret" },
    workingDir: new Map([["agent_loops.yaml", "[]\n"]]),
  });
const submitted = () => head.requests.filter((line) => line === "POST /api/jobs/").length;
const theJob = (): StandInJob => {
  const job = head.jobs.get(`${runId}-1`);
  if (!job) throw new Error("nothing was submitted");
  return job;
};
const events = async () =>
  (await control.ctx.db.runEvent.findMany({ where: { runId } })).map(({ message }) => message);

test("a job is submitted once, over repeated starts and another life of control", async () => {
  const first = build();
  expect(await first.state()).toMatchObject({ kind: "ended", code: null });
  await first.prepare(noProgress, never);
  await first.start(never);
  await first.start(never);
  const second = build();
  await second.prepare(noProgress, never);
  await second.start(never);
  expect(submitted()).toBe(1);
  expect(theJob().request).toMatchObject({
    submission_id: `${runId}-1`,
    entrypoint: "exec '/opt/python' -m verl.trainer.main_ppo 'a='\\''b c'\\'''",
    runtime_env: {
      working_dir: expect.stringMatching(/^gcs:/),
      env_vars: { WANDB_API_KEY: "very-secret" },
    },
    metadata: { liverl_run: runId, liverl_attempt: "1" },
    entrypoint_num_cpus: 1,
  });
  expect(await second.state()).toMatchObject({
    kind: "waiting",
    detail: expect.stringMatching(/resources/),
  });
  expect(await first.state()).toMatchObject({ kind: "waiting" });
});

test("a submission that was cut before Ray had it is made by the next life", async () => {
  await build().start(never);
  // As if control had died between its record and Ray's answer.
  head.jobs.clear();
  const path = files().job(1);
  const record = JSON.parse(await readFile(path, "utf8")) as object;
  await writeFile(path, JSON.stringify({ ...record, isAccepted: false }));
  expect(await build().state()).toMatchObject({ kind: "waiting" });
  expect(theJob().status).toBe("PENDING");
});

test("an end brings the whole log, the printed steps and the reason, without secrets", async () => {
  await build().start(never);
  const log = `hello\nstep:1 - actor/pg_loss:0.5\n${"x".repeat(5000)}\n`;
  Object.assign(theJob(), {
    ...{ status: "FAILED", driver_exit_code: 3, log },
    message: "Job entrypoint command failed with very-secret, last available logs:\nlines",
  });
  const job = build();
  const ended = {
    kind: "ended",
    code: 3,
    detail: "Job entrypoint command failed with [redacted], last available logs:",
  };
  expect(await job.state()).toEqual(ended);
  expect(await readFile(files().console(1), "utf8")).toBe(log);
  expect(await readFile(files().metrics(1), "utf8")).toBe(
    '{"step":1,"data":{"actor/pg_loss":0.5}}\n',
  );
  expect(await events()).toContainEqual(expect.stringMatching(/lines that verl prints/));
  // Known for good: the cluster may go now.
  await head.stop();
  expect(await build().state()).toEqual(ended);
  await head.start();
});

test("nothing follows from a cluster that is away; a head without the job ends it", async () => {
  await build().start(never);
  theJob().status = "RUNNING";
  await head.stop();
  expect(await build().state()).toMatchObject({ kind: "unknown" });
  expect(await events()).toContainEqual(expect.stringMatching(/Nothing is known of the job/));
  await head.start();
  head.token = "another";
  expect(await build().state()).toMatchObject({
    kind: "unknown",
    detail: expect.stringMatching(/refuses/),
  });
  head.token = "the-token";
  expect(await build().state()).toEqual({ kind: "running" });
  head.restartHead();
  const state = await build().state();
  expect(state).toMatchObject({
    kind: "ended",
    code: null,
    detail: expect.stringMatching(/restarted/),
  });
});

test("a job that somebody deleted is gone", async () => {
  await build().start(never);
  head.jobs.clear();
  expect(await build().state()).toMatchObject({
    kind: "ended",
    detail: expect.stringMatching(/deleted/),
  });
});

test("stop ends it on Ray; of a job that is not there nothing is asked", async () => {
  await build().stop();
  await build().start(never);
  theJob().status = "RUNNING";
  await build().stop();
  expect(theJob().status).toBe("STOPPED");
});

test.each([
  ["SUCCEEDED", null, "Job finished successfully.", { code: 0, detail: null }],
  [
    "STOPPED",
    null,
    "Job was intentionally stopped.",
    { code: null, detail: "it was stopped on Ray" },
  ],
  ["FAILED", 1, "failed\nmore", { code: 1, detail: "JOB_ENTRYPOINT_COMMAND_ERROR: failed" }],
])("%s", (status, driver_exit_code, message, expected) => {
  const error_type = status === "FAILED" ? "JOB_ENTRYPOINT_COMMAND_ERROR" : null;
  expect(endOf({ type: "SUBMISSION", status, driver_exit_code, message, error_type })).toEqual(
    expected,
  );
});
