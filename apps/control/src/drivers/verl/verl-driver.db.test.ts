import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { access, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import { findRecorded, isAlive } from "@liverl/durable/process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { VerlDriver } from "#drivers/verl/verl-driver.ts";
import { childEnv } from "#env.ts";
import { cleanRun } from "#runs/clean-run.ts";
import { launchRun } from "#runs/launch-run.ts";
import { resumeRun } from "#runs/resume-run.ts";
import { stopRun } from "#runs/stop-run.ts";
import {
  buildTestContext,
  type TestContext,
  type TestControl,
} from "#testing/build-test-context.ts";
import { verlSpec } from "#testing/factories.ts";
import { until } from "#testing/until.ts";
import { writeVerlCheckpoint } from "#testing/verl-checkpoint.ts";

/**
 * Stands in for the interpreter with the adapter and verl: a real process that follows the same command line, prints, logs
 * steps and leaves a daemon behind. What it does next lies in the run's folder: `steps` (how far), `end` (its code).
 */
const PYTHON = `#!/usr/bin/env node
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const { spawn } = require("node:child_process");
if (process.argv.includes("liverl_verl.preflight")) {
  if (process.argv.includes("trainer.nnodes=78")) return setInterval(() => {}, 1000);
  const bad = process.argv.find((word) => word === "trainer.nnodes=77");
  console.log(JSON.stringify({ ok: !bad, error: bad ? "nnodes is 77" : null, kind: bad ? "ValueError" : null }));
  process.exit(bad ? 1 : 0);
}
const exitFile = process.argv[process.argv.indexOf("--exit-file") + 1];
const end = (code) => { writeFileSync(exitFile, JSON.stringify({ code, endedAt: new Date().toISOString() })); process.exit(code); };
process.on("SIGTERM", () => end(143));
writeFileSync("argv.json", JSON.stringify(process.argv.slice(2)));
writeFileSync("daemon", String(spawn("sleep", ["600"], { detached: true, stdio: "ignore" }).pid));
console.log("2026-11-22 INFO worker.py:2038 -- Started a local Ray instance.");
console.log("(TaskRunnerV1 pid=1) LLMServerManager: ['192.0.2.2:1']");
let step = 0;
setInterval(() => {
  const wanted = existsSync("steps") ? Number(readFileSync("steps", "utf8")) : 0;
  while (step < wanted) appendFileSync(process.env.VERL_FILE_LOGGER_PATH, JSON.stringify({ step: ++step, data: { "actor/lr": 1 } }) + "\\n");
  if (!existsSync("end")) return;
  console.log("RuntimeError: sandbox lost");
  end(Number(readFileSync("end", "utf8")));
}, 20);
`;

let control: TestControl;
let ctx: TestContext;
let runner: Server;
let driver: VerlDriver;
let venv: string;
const requests: { line: string; body: string }[] = [];

beforeAll(async () => {
  control = await buildTestContext();
  const { dataDir } = control.ctx.config;
  venv = await mkdtemp(join(tmpdir(), "liverl-venv-"));
  await mkdir(join(venv, "bin"), { recursive: true });
  await writeFile(join(venv, "bin/python"), PYTHON);
  await chmod(join(venv, "bin/python"), 0o755);
  for (const folder of ["runner", "proxy"]) await mkdir(join(dataDir, folder));
  runner = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    requests.push({ line: `${request.method} ${request.url}`, body });
    response.end("{}");
  });
  await new Promise<void>((resolve) => runner.listen(0, "127.0.0.1", resolve));
  const address = runner.address();
  const port = String(typeof address === "object" ? address?.port : "");
  await writeFile(join(dataDir, "runner/port"), port);
  await writeFile(join(dataDir, "proxy/admin-port"), port);
  await writeFile(join(dataDir, "runner/admin.token"), "token");
  ctx = control.ctx;
  ctx.wakeDrivers = () => driver.wake();
  driver = new VerlDriver(ctx);
  driver.start();
});
afterAll(async () => {
  await driver.stop();
  runner.close();
  await rm(venv, { recursive: true });
  await control.close();
});

const folder = (id: string) => join(ctx.config.dataDir, "runs", id);
const row = (id: string) => ctx.db.run.findUniqueOrThrow({ where: { id } });
const has = (id: string, status: string) =>
  until(async () => ((await row(id)).status === status ? await row(id) : null), 60_000);
const job = (id: string) => findRecorded(ctx.config.processes, `${id}.verl`);
const tell = (id: string, file: string, value: number) =>
  writeFile(join(folder(id), file), String(value));
const actor = { actor: "test" };
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function launched(overrides: VerlSpec["overrides"] = {}) {
  const { id } = await launchRun(
    { ...ctx, ...actor },
    { spec: verlSpec(venv, { overrides }), idempotencyKey: randomUUID() },
  );
  await until(() => exists(join(folder(id), "daemon")));
  return id;
}

async function daemonIsGone(id: string) {
  const pid = Number(await readFile(join(folder(id), "daemon"), "utf8"));
  await until(async () =>
    readFile(`/proc/${pid}/stat`, "utf8").then(
      (stat) => stat.includes(") Z "),
      () => true,
    ),
  );
}

test("what LiveRL prepares beside verl follows the overrides that verl follows", async () => {
  const id = await launched({
    "actor_rollout_ref.rollout.max_model_len": 4096,
    "actor_rollout_ref.model.path": "/models/other",
    "trainer.total_training_steps": 2,
  });
  const registered = requests.find(({ line }) => line === `PUT /api/v1/runs/${id}`);
  expect(JSON.parse(registered?.body ?? "").pool).toMatchObject({
    maxModelLen: 4096,
    modelDir: "/models/other",
    modelName: "other",
  });
  const argv: string[] = JSON.parse(await readFile(join(folder(id), "argv.json"), "utf8"));
  expect(argv).toContain("trainer.total_epochs=3");
  await tell(id, "steps", 2);
  await tell(id, "end", 0);
  expect(await has(id, "succeeded")).toMatchObject({ statusReason: "all 2 steps done" });
});

test("a run is registered, boots, outlives a restart of control, and succeeds by its steps", async () => {
  const id = await launched();
  const registered = requests.find(({ line }) => line === `PUT /api/v1/runs/${id}`);
  expect(JSON.parse(registered?.body ?? "").pool).toMatchObject({ relay: true, maxModelLen: 1024 });
  const argv: string[] = JSON.parse(await readFile(join(folder(id), "argv.json"), "utf8"));
  expect(argv).toContain("verl.trainer.main_ppo");
  expect(argv).toContain("actor_rollout_ref.rollout.n=4");
  await until(async () => {
    const phase = await ctx.db.bootPhase.findFirst({ where: { runId: id, phase: "engines" } });
    return phase?.state === "done";
  });
  const before = await job(id);

  await driver.release();
  driver = new VerlDriver(ctx);
  driver.start();
  await tell(id, "steps", 4);
  await tell(id, "end", 0);
  const run = await has(id, "succeeded");
  expect(run).toMatchObject({ statusReason: "all 4 steps done", attempt: 1 });
  expect((await job(id))?.pid).toBe(before?.pid);
  const phases = await ctx.db.bootPhase.findMany({ where: { runId: id } });
  expect(phases.filter(({ state }) => state === "now")).toEqual([]);
});

test("exit code 0 before the last step fails, with the cause from the log; a resume is a new attempt", async () => {
  const id = await launched();
  await tell(id, "steps", 1);
  await tell(id, "end", 0);
  expect((await has(id, "failed")).statusReason).toBe(
    "verl ended with code 0 after 1 of 4 steps: Unknown cause; last error: RuntimeError: sandbox lost",
  );
  await expect(resumeRun({ ...ctx, ...actor }, { id })).rejects.toThrow(/no complete checkpoint/);
});

test("a stop now ends the process and what left its group", async () => {
  const id = await launched();
  const living = await job(id);
  await stopRun({ ...ctx, ...actor }, { id, when: "now" });
  await has(id, "cancelled");
  expect(living && (await isAlive(living))).toBe(false);
  await daemonIsGone(id);
  expect(requests.map(({ line }) => line)).toContain(`DELETE /api/v1/runs/${id}`);
});

test("an ended run is cleaned of what was asked for, and of nothing else", async () => {
  const id = await launched();
  const clean = (what: { logs: boolean; trials: boolean }) =>
    cleanRun({ ...ctx, ...actor }, { id, ...what });
  await expect(clean({ logs: true, trials: true })).rejects.toThrow(/once it has ended/);
  await tell(id, "steps", 4);
  await tell(id, "end", 0);
  await has(id, "succeeded");
  const logs = join(folder(id), "logs");
  const trials = join(ctx.config.dataDir, "harbor_trials/tests", id);
  const others = join(ctx.config.dataDir, "harbor_trials/tests", `${id}0`);
  const checkpoint = join(folder(id), "checkpoints/global_step_2");
  const hydra = join(folder(id), "hydra-1");
  for (const made of [trials, others, checkpoint, hydra]) {
    await mkdir(made, { recursive: true });
    await writeFile(join(made, "file"), "x".repeat(1000));
  }
  expect(await clean({ logs: false, trials: false })).toEqual({
    ...{ processes: 0, pods: 0, freedBytes: 1000 },
  });
  expect(await Promise.all([hydra, logs, trials].map(exists))).toEqual([false, true, true]);
  const { freedBytes } = await clean({ logs: true, trials: true });
  expect(freedBytes).toBeGreaterThan(1000);
  const kept = [others, checkpoint, join(folder(id), "metrics-1.jsonl")];
  expect(await Promise.all([logs, trials, ...kept].map(exists))).toEqual([
    ...[false, false],
    ...[true, true, true],
  ]);
  expect(requests.filter(({ line }) => line === `DELETE /api/v1/runs/${id}`)).not.toHaveLength(0);
  const events = await ctx.db.runEvent.findMany({ where: { runId: id, kind: "clean" } });
  expect(events.map(({ message }) => message)).toEqual([
    "0.0 MB freed, 0 processes ended",
    expect.stringMatching(/^logs and trials deleted, /),
  ]);
});

test("what was left of a job ends with a clean, what others started does not", async () => {
  const id = await launched();
  const record = await job(id);
  await tell(id, "steps", 4);
  await tell(id, "end", 0);
  await has(id, "succeeded");
  const stays = (mark: string) =>
    spawn("sleep", ["600"], {
      ...{ detached: true, stdio: "ignore" },
      env: { ...childEnv(), LIVERL_PROCESS: mark },
    });
  const ours = stays(record?.mark ?? "");
  const other = stays(`${record?.mark}-another`);
  const ended = new Promise((resolve) => ours.once("exit", resolve));
  await cleanRun({ ...ctx, ...actor }, { id, logs: false, trials: false });
  await ended;
  expect(other.exitCode ?? other.signalCode).toBeNull();
  other.kill();
});

test("a stop after the step waits for the step", async () => {
  const id = await launched();
  await tell(id, "steps", 1);
  await until(() => exists(join(folder(id), "metrics-1.jsonl")));
  await ctx.db.run.update({ where: { id }, data: { status: "running" } });
  await stopRun({ ...ctx, ...actor }, { id, when: "after-step" });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect((await row(id)).status).toBe("stopping");
  await tell(id, "steps", 2);
  expect((await has(id, "stopped")).statusReason).toBe("stopped after step 2");
  await daemonIsGone(id);
});

test("an orderly stop of LiveRL ends the job, and the next start goes on as a new attempt", async () => {
  const id = await launched();
  await tell(id, "steps", 1);
  await driver.stop();
  const first = await job(id);
  expect(first && (await isAlive(first))).toBe(false);
  driver = new VerlDriver(ctx);
  driver.start();
  await until(async () => {
    const second = await job(id);
    return second !== null && second.mark !== first?.mark && (await isAlive(second));
  }, 30_000);
  await tell(id, "steps", 4);
  await tell(id, "end", 0);
  expect(await has(id, "succeeded")).toMatchObject({ attempt: 2 });
});

test("a fork begins from its parent's checkpoint, and after an interruption goes on from its own", async () => {
  const origin = await writeVerlCheckpoint(join(ctx.config.dataDir, "elsewhere"), 1, {
    world: 8,
    ranks: [0, 1, 2, 3, 4, 5, 6, 7],
  });
  const { trainer } = verlSpec(venv);
  const spec = verlSpec(venv, {
    trainer: { ...trainer, resume_mode: "resume_path", resume_from_path: origin },
  });
  const { id } = await launchRun({ ...ctx, ...actor }, { spec, idempotencyKey: randomUUID() });
  const began = async (attempt: number) =>
    until(async () => {
      const argv = await readFile(join(folder(id), "argv.json"), "utf8").catch(() => "");
      if (!argv.includes(`exit-${attempt}.json`)) return null;
      return /trainer.resume_from_path=([^"]+)/.exec(argv)?.[1]?.replaceAll(/['\\]/g, "");
    }, 30_000);
  expect(await began(1)).toBe(origin);
  const own = await writeVerlCheckpoint(join(folder(id), "checkpoints"), 2);
  await driver.stop();
  driver = new VerlDriver(ctx);
  driver.start();
  expect(await began(2)).toBe(own);
  await tell(id, "steps", 4);
  await tell(id, "end", 0);
  await has(id, "succeeded");
});

test("what verl itself refuses is said in its words, before anything is started", async () => {
  const layout = { ...verlSpec(venv).layout, nnodes: 77 };
  const { id } = await launchRun(
    { ...ctx, ...actor },
    { spec: verlSpec(venv, { layout }), idempotencyKey: randomUUID() },
  );
  expect((await has(id, "failed")).statusReason).toBe(
    "verl does not take this config: nnodes is 77",
  );
  expect(await job(id)).toBeNull();
});

test("a stop is heard while the environment is still being readied", async () => {
  const layout = { ...verlSpec(venv).layout, nnodes: 78 };
  const { id } = await launchRun(
    { ...ctx, ...actor },
    { spec: verlSpec(venv, { layout }), idempotencyKey: randomUUID() },
  );
  await until(async () => {
    const phase = await ctx.db.bootPhase.findFirst({ where: { runId: id, phase: "venv" } });
    return phase?.detail === "verl checks its config";
  });
  await stopRun({ ...ctx, ...actor }, { id, when: "now" });
  expect((await has(id, "cancelled")).statusReason).toBe("stopped before verl was started");
  expect(await job(id)).toBeNull();
});

test("an environment that is not there is said in words", async () => {
  const { id } = await launchRun(
    { ...ctx, ...actor },
    { spec: verlSpec("/no/such/venv"), idempotencyKey: randomUUID() },
  );
  expect((await has(id, "failed")).statusReason).toMatch(
    /^There is no Python environment at \/no\/such\/venv/,
  );
});
